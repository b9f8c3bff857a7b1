// Takes what lies under the tiles in, for the maps of the page; shows nothing.

export default function ({ data, parentElement }) {
  try {
    takeContext(data);
  } catch (error) {
    parentElement.querySelector(".context").textContent = `Streets and names unavailable (${error.message}).`;
  }
}
