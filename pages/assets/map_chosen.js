// Tells the maps of a link what Python chose on them; shows nothing.

export default function ({ data }) {
  takeChosen(data);
}
