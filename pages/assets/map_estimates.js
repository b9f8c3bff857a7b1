// Takes the estimates of a stop in, for the maps of the page; shows nothing.

export default function ({ data, parentElement }) {
  try {
    takeEstimates(data);
  } catch (error) {
    parentElement.querySelector(".estimates").textContent = `Estimates unavailable (${error.message}).`;
  }
}
