// Tells the maps of a link which two sides they show; shows nothing.

export default function ({ data, parentElement }) {
  takeSides(data, parentElement);
  return () => keptFor(data.link, "sides")?.from === parentElement && takeSides({ link: data.link }, parentElement);
}
