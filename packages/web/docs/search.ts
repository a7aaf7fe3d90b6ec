/** A section of a page, as the search knows it. */
export type Section = {
  /** The page's name in the navigation. */
  page: string;
  /** The section's heading; that of the page, for what stands before its first section. */
  heading: string;
  /** Where it is: `/docs/update#after-the-update`. */
  address: string;
  text: string;
};

/** A section that was found, with the part of its text that says why. */
export type Hit = { section: Section; excerpt: string };

const EXCERPT_LENGTH = 140;
const EXCERPT_BEFORE = 40;
const IN_HEADING = 8;
const IN_PAGE_NAME = 4;

/** The words that are looked for. */
export const wordsOf = (query: string): string[] => query.toLowerCase().split(/\s+/).filter(Boolean);

/**
 * The sections that have every word of the query, anywhere in a word: those that have them in a heading first, then those
 * of earlier pages. A query without words finds nothing.
 */
export function search(sections: readonly Section[], query: string): Hit[] {
  const words = wordsOf(query);
  if (words.length === 0) return [];
  return sections
    .map((section) => ({ section, score: scoreOf(section, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .map(({ section }) => ({ section, excerpt: excerptOf(section.text, words) }));
}

/** 0: a word is missing. */
function scoreOf({ page, heading, text }: Section, words: readonly string[]): number {
  const places = [
    { text: heading.toLowerCase(), worth: IN_HEADING },
    { text: page.toLowerCase(), worth: IN_PAGE_NAME },
    { text: text.toLowerCase(), worth: 1 },
  ];
  const scores = words.map((word) =>
    places.reduce((sum, place) => sum + (place.text.includes(word) ? place.worth : 0), 0),
  );
  return scores.includes(0) ? 0 : scores.reduce((sum, score) => sum + score);
}

function excerptOf(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase();
  const found = words.map((word) => lower.indexOf(word)).filter((at) => at >= 0);
  const wanted = Math.max(0, Math.min(...found, text.length) - EXCERPT_BEFORE);
  const start = wanted === 0 || found.length === 0 ? 0 : text.indexOf(' ', wanted) + 1;
  const end = start + EXCERPT_LENGTH < text.length ? text.lastIndexOf(' ', start + EXCERPT_LENGTH) : text.length;
  return `${start > 0 ? '… ' : ''}${text.slice(start, end)}${end < text.length ? ' …' : ''}`;
}
