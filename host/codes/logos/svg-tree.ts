import { Element, isTag, isText, type ParentNode, Text } from 'domhandler';
import { type SaxesAttributeNS, SaxesParser } from 'saxes';
import { LogoRefusal } from './formats';
import { expandEntities, readEntities } from './svg-text';

const SVG = 'http://www.w3.org/2000/svg';
const XLINK = 'http://www.w3.org/1999/xlink';
/** What the renderer's XML parser allows. */
const MAX_LEVELS = 255;
const SCRIPTS = /^(?:script|handler|listener)$/;
const WITH_TEXT = /^(?:text|tspan|textPath|tref|a|style|foreignObject)$/;
const REFERRING = /^(?:use|image|feImage|pattern|\w+Gradient|filter|textPath|tref)$/;
/** Boxes of HTML that draw nothing by themselves, as Figma adds them for what is blurred behind a shape. */
const EMPTY_BOX = /^(?:body|div|p|span)$/;
const BOX_PAINT = /\b(?:background|border|content)\b/;

/**
 * Parses an SVG into elements without namespaces; those of other vocabularies are kept as `foreign:name`, because
 * selectors count them, and those of HTML that draw something as `foreign:html`. Refuses scripts and references to other
 * files, but not links to them.
 */
export function parseSvg(text: string): Element {
  const parser = new SaxesParser({ xmlns: true });
  const vocabulary = new Set(['', SVG]);
  const open: Element[] = [];
  let root: Element | undefined;
  let entities: ReadonlyMap<string, string> | undefined;

  parser.on('error', ({ message }) => {
    // Prefixes are dropped anyway.
    if (message.includes('unbound namespace prefix')) return;
    throw root ? new Error(`not a well-formed SVG: ${message}`) : new LogoRefusal('logo_not_image');
  });
  parser.on('doctype', (doctype) => {
    entities = readEntities(doctype);
  });
  parser.on('processinginstruction', ({ target }) => {
    if (target === 'xml-stylesheet') throw new LogoRefusal('logo_unsafe');
  });
  parser.on('opentag', ({ local, uri, attributes }) => {
    if (!root && local !== 'svg') throw new LogoRefusal('logo_not_image');
    // Whatever its author took for the namespace of SVG.
    if (!root) vocabulary.add(uri);
    if (open.length === MAX_LEVELS) throw new LogoRefusal('logo_too_complex');
    if (SCRIPTS.test(local)) throw new LogoRefusal('logo_unsafe');
    const attribs = readAttributes(local, Object.values(attributes));
    const isInHtml = open.some(({ name }) => name === 'foreignObject');
    const isForeign = isInHtml || !vocabulary.has(uri);
    const draws =
      isInHtml && (!EMPTY_BOX.test(local) || BOX_PAINT.test(attribs.style ?? '') || attribs.class);
    const name = isForeign ? `foreign:${draws ? 'html' : local}` : local;
    const element = new Element(name, attribs);
    const parent = open.at(-1);
    if (parent) append(parent, element);
    else root = element;
    open.push(element);
  });
  parser.on('closetag', () => {
    open.pop();
  });
  const addText = (part: string) => {
    const parent = open.findLast(({ name }) => !name.startsWith('foreign:'));
    if (parent && WITH_TEXT.test(parent.name)) append(parent, new Text(part));
  };
  parser.on('text', addText);
  parser.on('cdata', addText);

  // Tag by tag up to the document type, which says how to read the rest.
  let at = 0;
  while (at < text.length && !entities && !root) {
    const end = text.indexOf('>', at) + 1 || text.length;
    parser.write(text.slice(at, end));
    at = end;
  }
  parser.write(expandEntities(text.slice(at), entities ?? new Map())).close();
  if (!root) throw new LogoRefusal('logo_not_image');
  return root;
}

function readAttributes(element: string, attributes: SaxesAttributeNS[]) {
  const attribs: Record<string, string> = {};
  for (const { prefix, local, uri, value } of attributes) {
    const isLink = local === 'href' && (prefix === '' || prefix === 'xlink' || uri === XLINK);
    if (prefix === '' && /^on[a-z]+$/i.test(local)) throw new LogoRefusal('logo_unsafe');
    if (isLink && /^\s*javascript:/i.test(value)) throw new LogoRefusal('logo_unsafe');
    if (isLink && REFERRING.test(element) && value.trim() !== '') {
      if (!/^\s*(?:#|data:)/i.test(value)) throw new LogoRefusal('logo_unsafe');
      if (prefix === '' || !('href' in attribs)) attribs.href = value.trim();
    }
    if (isLink) continue;
    if (prefix === '' && local !== 'xmlns') attribs[local] = value;
    if (prefix === 'xml' && local === 'space') attribs['xml:space'] = value;
    if (prefix === 'xml' && local === 'id') attribs.id ??= value;
  }
  return attribs;
}

function append(parent: ParentNode, child: Element | Text): void {
  const previous = parent.children.at(-1) ?? null;
  child.parent = parent;
  child.prev = previous;
  if (previous) previous.next = child;
  parent.children.push(child);
}

/** All elements below and including this one, each before those within it. */
export function elementsOf(root: Element, found: Element[] = []): Element[] {
  found.push(root);
  for (const child of root.children) if (isTag(child)) elementsOf(child, found);
  return found;
}

/** Text within an element, at any depth. */
export function textOf(element: Element): string {
  return element.children
    .map((child) => (isText(child) ? child.data : isTag(child) ? textOf(child) : ''))
    .join('');
}

/** The tree as XML, without what is foreign to SVG. */
export function writeSvg(element: Element): string {
  if (element.name.startsWith('foreign:')) return '';
  const attributes = Object.entries(element.attribs).map(([name, value]) => ` ${name}="${escapeXml(value)}"`);
  const inner = element.children.map((child) =>
    isTag(child) ? writeSvg(child) : isText(child) ? escapeXml(child.data) : '',
  );
  const namespace = element.parent ? '' : ` xmlns="${SVG}"`;
  return `<${element.name}${namespace}${attributes.join('')}>${inner.join('')}</${element.name}>`;
}

/** Escapes what markup and attributes cannot contain, and drops what XML cannot contain at all. */
function escapeXml(text: string): string {
  return text.replace(/[\p{Cc}&<>"\ufffe\uffff]/gu, (character) =>
    /[^\P{Cc}\t\n\r\x7f-\x9f]|[\ufffe\uffff]/u.test(character) ? '' : `&#${character.charCodeAt(0)};`,
  );
}
