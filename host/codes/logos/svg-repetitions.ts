import { type Element, isTag } from 'domhandler';

const PAINTED = /\burl\(\s*(?:"([^"]*)|'([^']*)|([^)]*))/gi;
/** Properties that draw a marker at each point of a line. */
const AT_EACH_POINT = /\bmarker(?:-mid)?$|\bmarker(?:-mid)?\s*:/i;
const POINTS = /^(?:d|points)$/;
/** Elements that draw what they reference; links and animations do not. */
const DRAWING = /^(?:use|pattern|feImage|tref)$/;

interface Group {
  /** Elements in the group, its own included, except those in named groups within it. */
  elements: number;
  /** Named groups within it. */
  inner: Group[];
  /** Names that it references, to be drawn once or at each point of a line. */
  references: { name: string; isAtEachPoint: boolean }[];
}

/** How many elements a drawing has when every reference is expanded. Infinite for circular references. */
export function countDrawnElements(root: Element): number {
  // Of several groups with the same name the first is drawn.
  const named = new Map<string, Group>();
  let maxPoints = 0;
  const all: Group = { elements: 0, inner: [], references: [] };

  function add(element: Element, parent: Group): void {
    const id = element.attribs.id?.trim();
    const group = id === undefined ? parent : { elements: 0, inner: [], references: [] };
    if (group !== parent) parent.inner.push(group);
    if (id !== undefined && !named.has(id)) named.set(id, group);
    group.elements += 1;
    for (const [attribute, value] of Object.entries(element.attribs)) {
      // Each point takes at least one character.
      if (POINTS.test(attribute)) maxPoints = Math.max(maxPoints, value.length);
      const isAtEachPoint = AT_EACH_POINT.test(attribute) || AT_EACH_POINT.test(value);
      const isDrawing = DRAWING.test(element.name) && attribute === 'href';
      for (const address of isDrawing ? [value] : paintedBy(value)) {
        const text = address.trim();
        if (text.startsWith('#')) group.references.push({ name: text.slice(1), isAtEachPoint });
      }
    }
    for (const child of element.children) if (isTag(child)) add(child, group);
  }
  add(root, all);
  return countWithin(all, named, maxPoints);
}

/** URLs in a style or a style property; CSS also accepts them without the closing quote or bracket. */
function paintedBy(value: string): string[] {
  const addresses = [...value.matchAll(PAINTED), ...decodeCss(value).matchAll(PAINTED)];
  return [
    ...new Set(addresses.map(([, ...quoted]) => decodeCss(quoted.find((one) => one !== undefined) ?? ''))),
  ];
}

/** Not recursive: chains of references may be longer than the call stack allows. */
function countWithin(root: Group, named: ReadonlyMap<string, Group>, maxPoints: number): number {
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
      ...group.references.flatMap(({ name, isAtEachPoint }) => {
        const one = named.get(name);
        return one ? [{ one, times: isAtEachPoint ? Math.max(1, maxPoints) : 1 }] : [];
      }),
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

/** Decodes escapes of CSS (`\\69`). */
function decodeCss(text: string): string {
  return text.replace(/\\(?:([\da-f]{1,6})\s?|([^\n]))/gi, (_, hex, other) =>
    hex ? characterOf(Number.parseInt(hex, 16)) : other,
  );
}

function characterOf(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : '';
}
