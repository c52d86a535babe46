/** Sections that are taken literally, by their start and end. */
const QUOTED = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
] as const;
// None of these backtracks: uploads are untrusted.
const NAME = /^[^\s/>!]+/;
const NAME_SEPARATOR = /[\s/"']/;
const IDS = ['id', 'xml:id'];
const HREF = /(?:^|:)href$/;
const PAINTED = /\burl\(\s*(?:"([^"]*)|'([^']*)|([^)]*))/gi;
/** Properties that draw a marker at each point of a line. */
const AT_EACH_POINT = /\bmarker(?:-mid)?$|\bmarker(?:-mid)?\s*:/i;
const POINTS = /^(?:d|points)$/;
const NAMED_CHARACTERS: Record<string, string> = { quot: '"', apos: "'", amp: '&', lt: '<', gt: '>' };
/** Elements that draw what they reference; links and animations do not. */
const DRAWING = /(?:^|:)(?:use|pattern|feImage|tref)$/;

interface Group {
  /** Elements in the group, its own included, except those in named groups within it. */
  elements: number;
  /** Named groups within it. */
  inner: Group[];
  /** Names that it references, to be drawn once or at each point of a line. */
  references: { name: string; isAtEachPoint: boolean }[];
}

/**
 * How many elements a drawing has when every reference is expanded. Infinite for circular references. References in
 * stylesheets are not counted.
 */
export function countDrawnElements(svg: string): number {
  const root: Group = { elements: 0, inner: [], references: [] };
  // Of several groups with the same name the first is drawn; either id attribute may be the one that counts.
  const named = new Map<string, Group>();
  let mostPoints = 0;
  const stack: Group[] = [root];
  for (const tag of tagsOf(svg)) {
    if (tag.startsWith('/')) {
      if (stack.length > 1) stack.pop();
      continue;
    }
    const name = NAME.exec(tag)?.[0];
    if (name === undefined) continue;
    const parent = stack.at(-1) ?? root;
    const attributes = attributesOf(tag);
    const ids = attributes.filter((one) => IDS.includes(one.name));
    const group = ids.length === 0 ? parent : { elements: 0, inner: [], references: [] };
    if (group !== parent) parent.inner.push(group);
    for (const { name: attribute, value } of ids) {
      const id = `${attribute} ${value.trim()}`;
      if (!named.has(id)) named.set(id, group);
    }
    group.elements += 1;
    for (const { name: attribute, value } of attributes) {
      // Each point takes at least one character.
      if (POINTS.test(attribute)) mostPoints = Math.max(mostPoints, value.length);
      const isAtEachPoint = AT_EACH_POINT.test(attribute) || AT_EACH_POINT.test(value);
      const isDrawing = DRAWING.test(name) && HREF.test(attribute);
      for (const address of isDrawing ? [value] : paintedBy(value)) {
        const text = address.trim();
        if (text.startsWith('#')) group.references.push({ name: text.slice(1), isAtEachPoint });
      }
    }
    if (!tag.endsWith('/')) stack.push(group);
  }
  return countWithin(root, named, mostPoints);
}

/** Attributes of a tag, decoded: in the source, a quote written as a character reference ends nothing. */
function attributesOf(tag: string): { name: string; value: string }[] {
  const attributes: { name: string; value: string }[] = [];
  let from = 0;
  for (let at = nextQuote(tag, 0); at !== -1; at = nextQuote(tag, from)) {
    const end = tag.indexOf(tag.charAt(at), at + 1);
    if (end === -1) break;
    const before = tag.slice(from, at).trimEnd();
    const name = before.endsWith('=') && before.slice(0, -1).trimEnd().split(NAME_SEPARATOR).at(-1);
    if (name) attributes.push({ name, value: decodeXml(tag.slice(at + 1, end)) });
    from = end + 1;
  }
  return attributes;
}

function nextQuote(text: string, from: number): number {
  const quote = /["']/g;
  quote.lastIndex = from;
  return quote.exec(text)?.index ?? -1;
}

/** URLs in a style or a style property; CSS also accepts them without the closing quote or bracket. */
function paintedBy(value: string): string[] {
  const addresses = [...value.matchAll(PAINTED), ...decodeCss(value).matchAll(PAINTED)];
  return [
    ...new Set(addresses.map(([, ...quoted]) => decodeCss(quoted.find((one) => one !== undefined) ?? ''))),
  ];
}

/** The text inside the `<` and `>` of each tag, as far as the SVG is well-formed. */
function* tagsOf(svg: string): Generator<string> {
  for (let at = svg.indexOf('<'); at !== -1; at = svg.indexOf('<', at)) {
    const quoted = QUOTED.find(([start]) => svg.startsWith(start, at));
    const end = quoted ? svg.indexOf(quoted[1], at + quoted[0].length) : endOfTag(svg, at);
    if (end === -1) return;
    if (!quoted) yield svg.slice(at + 1, end);
    at = end + 1;
  }
}

/** Index of the `>` that ends a tag, outside quotes; -1 if there is none. */
function endOfTag(svg: string, start: number): number {
  const delimiter = /["'>]/g;
  delimiter.lastIndex = start;
  for (let found = delimiter.exec(svg); found; found = delimiter.exec(svg)) {
    if (found[0] === '>') return found.index;
    const closed = svg.indexOf(found[0], found.index + 1);
    if (closed === -1) return -1;
    delimiter.lastIndex = closed + 1;
  }
  return -1;
}

/** Not recursive: groups may be nested deeper than the call stack allows. */
function countWithin(root: Group, named: ReadonlyMap<string, Group>, mostPoints: number): number {
  const counts = new Map<Group, number>();
  const counted = new Set<Group>();
  const stack = [root];
  for (let group = stack.at(-1); group; group = stack.at(-1)) {
    if (counted.has(group)) {
      stack.pop();
      continue;
    }
    const drawn = [
      ...group.inner.map((one) => ({ one, times: 1 })),
      ...group.references.flatMap(({ name, isAtEachPoint }) =>
        IDS.flatMap((id) => named.get(`${id} ${name}`) ?? []).map((one) => ({
          one,
          times: isAtEachPoint ? Math.max(1, mostPoints) : 1,
        })),
      ),
    ];
    if (counts.has(group)) {
      stack.pop();
      counts.set(
        group,
        drawn.reduce((sum, { one, times }) => sum + times * (counts.get(one) ?? 0), group.elements),
      );
      counted.add(group);
      continue;
    }
    // Until the count is known: a group reached again from here is drawn within itself.
    counts.set(group, Number.POSITIVE_INFINITY);
    for (const { one } of drawn) if (!counts.has(one)) stack.push(one);
  }
  return counts.get(root) ?? 0;
}

/** Decodes character references of XML (`&#x69;`) and escapes of CSS (`\\69`). */
export function decodeCharacterReferences(svg: string): string {
  return decodeCss(decodeXml(svg));
}

function decodeXml(text: string): string {
  return text.replace(/&(?:#x([\da-f]+)|#(\d+)|(quot|apos|amp|lt|gt));/gi, (_, hex, decimal, name) =>
    name
      ? (NAMED_CHARACTERS[name.toLowerCase()] ?? '')
      : characterOf(hex ? Number.parseInt(hex, 16) : Number(decimal)),
  );
}

function decodeCss(text: string): string {
  return text.replace(/\\(?:([\da-f]{1,6})\s?|([^\n]))/gi, (_, hex, other) =>
    hex ? characterOf(Number.parseInt(hex, 16)) : other,
  );
}

function characterOf(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : '';
}
