// Takes the time windows of a stop in, for the maps of the page; shows nothing.

export default function ({ data, parentElement }) {
  try {
    takeWindows(data);
  } catch (error) {
    parentElement.querySelector(".windows").textContent = `Time windows unavailable (${error.message}).`;
  }
}
