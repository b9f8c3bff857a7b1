// Takes the tiles of a page's maps in; shows nothing.

export default function ({ data, parentElement }) {
  try {
    takeTiles(data);
  } catch (error) {
    parentElement.querySelector(".tiles").textContent = `Map unavailable (${error.message}).`;
  }
}
