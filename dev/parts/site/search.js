// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds what is typed into search.html in searchText, [page, heading, address, weight, text] of every section of the
// site. A section is found if each word stands in it or in a heading; many times and in headings come first.
function findSections(query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = [];
  if (words.length === 0) return found;
  for (const [page, heading, address, weight, text] of searchText) {
    const inPage = page.toLowerCase(), inHeading = heading.toLowerCase(), inText = text.toLowerCase();
    let score = 0;
    for (const word of words) {
      const times = inText.split(word).length - 1;
      const one = (inHeading.includes(word) ? 12 : 0) + (inPage.includes(word) ? 6 : 0) +
                  (inHeading.replace(/\(.*/, "") === word ? 20 : 0) + Math.min(times, 8);
      score = one === 0 ? -1 : score + one;
      if (one === 0) break;
    }
    if (score > 0) found.push({page, heading, address, text, score: score * weight});
  }
  return found.sort((a, b) => b.score - a.score);
}

function appendMarked(element, text, words) {
  const pattern = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|");
  text.split(new RegExp(`(${pattern})`, "i")).forEach((piece, i) => {
    element.append(i % 2 ? Object.assign(document.createElement("mark"), {textContent: piece}) : piece);
  });
}

function excerpt(text, words) {
  const places = words.map((word) => text.toLowerCase().indexOf(word)).filter((place) => place >= 0);
  const from = Math.max(0, (places.length ? Math.min(...places) : 0) - 80);
  const begin = from === 0 ? 0 : text.indexOf(" ", from) + 1;
  return (begin ? "… " : "") + text.slice(begin, begin + 260) + (text.length > begin + 260 ? " …" : "");
}

function showFound() {
  const query = new URLSearchParams(location.search).get("q") || "";
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = findSections(query), shown = found.slice(0, 40);
  const place = document.getElementById("found");
  for (const field of document.querySelectorAll("input[name=q]")) field.value = query;
  place.append(Object.assign(document.createElement("p"), {
    textContent: words.length === 0 ? "Type words into the field above: they are looked up in all pages and in the reference." :
        found.length > shown.length ? `${found.length} sections, of which the first ${shown.length} follow.` :
        `${found.length} sections.`}));
  for (const {page, heading, address, text} of shown) {
    const entry = document.createElement("div");
    entry.className = "found";
    const link = Object.assign(document.createElement("a"), {href: address});
    appendMarked(link, heading && heading !== page ? `${page}: ${heading}` : page, words);
    const line = document.createElement("p");
    appendMarked(line, excerpt(text, words), words);
    entry.append(link, line);
    place.append(entry);
  }
}
document.addEventListener("DOMContentLoaded", showFound);
