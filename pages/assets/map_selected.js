// Takes the flows of what is chosen in, for the maps of the page; shows nothing.

export default function ({ data }) {
  takeSelected(data);
}
