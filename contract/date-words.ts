// What Intl leaves to be done for dates in sentences. Without a schema library: browsers load this.

/** In Italian, articles lose their vowel before “otto” and “undici”: `l’8 novembre`, `dall’11 maggio`. */
const ARTICLE =
  /\b(?:([Ii])l|([Aa]l|[Dd]al|[Dd]el)) (?=(?:8|11) (?:gen|feb|mar|apr|mag|giu|lug|ago|set|ott|nov|dic))/g;

/** An Italian text that puts articles before dates, as one writes it. */
export function elideArticles(text: string): string {
  return text.replace(ARTICLE, (_, i: string | undefined, article: string | undefined) =>
    article ? `${article}l’` : i === 'I' ? 'L’' : 'l’',
  );
}

/** Date and time from Intl as one writes it: Italian says `alle 10:57`, and French has no name for the zone but `UTC+1`. */
export function plainDateTime(text: string, timeZone: string): string {
  const plain = text.replace(' alle ore ', ' alle ');
  return timeZone === 'Europe/Paris' ? plain.replace(/UTC[+-]\d+$/, '(heure de Paris)') : plain;
}
