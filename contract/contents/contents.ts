import { targetOf, withLowerCaseScheme } from '../web-addresses';
import { app } from './app';
import { contact } from './contact';
import type { ContentType, OpensCode, Stored } from './content-type';
import { email } from './email';
import { event } from './event';
import { image } from './image';
import { link } from './link';
import { phone } from './phone';
import { place } from './place';
import { text } from './text';
import { lengthOf } from './text-rules';
import { video } from './video';
import { wifi } from './wifi';

// What a code may contain and what is drawn for it: one set of rules for the host, the website and its live preview.
// Browsers load this with the drawing code, so it must not need Node or a library.

/**
 * All types, in an order to which new ones are only added: codes in memory and on disk have the number of their type.
 * The first is that of codes of which nothing else is known.
 */
const REGISTRY = { link, text, email, wifi, image, video, phone, contact, event, place, app };
type Registry = typeof REGISTRY;

/** A type that a code can have. */
export type CodeType = {
  [Type in keyof Registry]: Registry[Type] extends { isComing: true } ? never : Type;
}[keyof Registry];
/** A type that is only announced. */
export type ComingType = Exclude<keyof Registry, CodeType>;

type Module = Registry[CodeType];
type KeyOf<Union> = Union extends unknown ? keyof Union : never;
type ValueOf<Union, Key extends PropertyKey> = Union extends Record<Key, infer Value> ? Value : never;
type Intersection<Union> = (Union extends unknown ? (one: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never;

export type FieldName = KeyOf<Module['fields']>;
/** The rules of each field, of any type that has it. */
export type FieldRules = { [Name in FieldName]: ValueOf<Module['fields'], Name> };
/** Names of inputs of the creation form. */
export type InputName = FieldName | Extract<FieldRules[FieldName], { input: string }>['input'];
/** A type and what was typed; fields of other types are ignored. */
export type CodeFields = { type: CodeType } & Intersection<Parameters<Module['check']>[0]>;
/** Types whose codes show a page, at least to some visitors. */
export type PageType = {
  [Type in CodeType]: Registry[Type]['visit'] extends 'page' | 'system' ? Type : never;
}[CodeType];
/** What a visitor can do on the page of a code. */
export type Act = Module['acts'][number];

type ProblemCode =
  | ReturnType<Module['check']>[number]['code']
  | ValueOf<Module, 'refusals'>['change' | 'hide']
  | Extract<ReturnType<ValueOf<Module, 'parse'>>, { problem: string }>['problem'];
type AnyType = ContentType<CodeFields, ProblemCode>;

const NAMES = Object.keys(REGISTRY) as (keyof Registry)[];
export const CODE_TYPES = NAMES.filter((name) => !('isComing' in REGISTRY[name])) as [
  CodeType,
  ...CodeType[],
];
export const DEFAULT_TYPE: CodeType = CODE_TYPES[0];
/** The number of a type is its place here. */
export const TYPE_NUMBERS: readonly string[] = NAMES;
export const DYNAMIC_TYPES = CODE_TYPES.filter(isDynamic);
/** Types whose content is the address that a visit is redirected to. */
export const REDIRECTED_TYPES = CODE_TYPES.filter(isRedirected);
/** Types whose visitors are sent on to an address at once. */
export const LEADING_TYPES = CODE_TYPES.filter(
  (type) => isRedirected(type) || moduleOf(type).visit === 'system',
);
/** Types with fields for web addresses. */
export const LINKING_TYPES = CODE_TYPES.filter((type) => 'links' in REGISTRY[type]);
export const ACTS = [...new Set(CODE_TYPES.flatMap<Act>((type) => REGISTRY[type].acts))] as [Act, ...Act[]];
/** More than any stored content. */
export const STORED_UNITS = 8_000;
/** The fields of all types by name. */
export const FIELDS = Object.fromEntries(
  CODE_TYPES.flatMap((type) => Object.entries(REGISTRY[type].fields)),
) as FieldRules;

/** Undefined for a type from a later version. */
function ruleOf(type: string): AnyType | undefined {
  return CODE_TYPES.find((name) => name === type) && moduleOf(type as CodeType);
}

function moduleOf(type: CodeType): AnyType {
  return REGISTRY[type];
}

/** Whether visits of its codes pass through the product: their content can change, and they are counted. */
export function isDynamic(type: string): boolean {
  return ruleOf(type)?.visit != null;
}

/** Whether the page of its codes reports what follows a visit. */
export function isMeasured(type: string): boolean {
  return ruleOf(type)?.visit === 'page';
}

/** Whether its codes have a page that shows what they contain. */
export function hasPage(type: string): boolean {
  return isMeasured(type) || ruleOf(type)?.visit === 'system';
}

export function isRedirected(type: string): boolean {
  return ruleOf(type)?.visit === 'redirect';
}

/** Why codes of this type can be neither changed nor private; undefined if they can. */
export function refusalsOf(type: CodeType) {
  return moduleOf(type).refusals;
}

export function actsOf(type: CodeType): readonly string[] {
  return moduleOf(type).acts;
}

export function hasField(type: CodeType, field: FieldName): boolean {
  return field in moduleOf(type).fields;
}

export function fieldNamesOf(type: CodeType): FieldName[] {
  return Object.keys(moduleOf(type).fields) as FieldName[];
}

/** The field that has the content or, of several, names it. */
export function mainFieldOf(type: CodeType): FieldName {
  return moduleOf(type).main as FieldName;
}

/** Name of the input for a field of a type. */
export function inputOf(type: CodeType, field: FieldName): string {
  const rule = moduleOf(type).fields[field];
  return rule && 'input' in rule && rule.input ? rule.input : field;
}

/**
 * Every problem that prevents these fields from becoming a code. Without `opensCode`, links to codes are not checked.
 */
export function checkContent(fields: CodeFields, opensCode: OpensCode = () => false) {
  return moduleOf(fields.type).check(fields, opensCode);
}

/** What is stored for valid fields, such as a complete address or the Wi-Fi string (WIFI:T:…). */
export function compose(fields: CodeFields): Required<Stored> {
  return { subject: '', body: '', ...moduleOf(fields.type).compose(fields) };
}

/** The fields of a stored content; or what is wrong with it. */
export function parseStored(
  type: CodeType,
  stored: Required<Stored>,
): { fields: CodeFields } | { problem: ProblemCode } {
  const parsed = moduleOf(type).parse?.(stored.content);
  if (parsed && 'problem' in parsed) return parsed;
  return { fields: parsed ? { ...parsed.fields, content: '', type } : { type, ...stored } };
}

/** Only the fields, of a value that has others. */
export function fieldsOf<Values extends CodeFields>(values: Values): Pick<Values, keyof CodeFields> {
  const names = ['type', ...Object.keys(FIELDS)];
  const entries = Object.entries(values).filter(([name]) => names.includes(name));
  return Object.fromEntries(entries) as Pick<Values, keyof CodeFields>;
}

/** Characters (code points) that count against the limit of a content. */
export function contentLength(fields: CodeFields): number {
  return lengthOf(moduleOf(fields.type).counted(fields));
}

/** The payload of a code that holds the content itself; empty when there is nothing to draw yet. */
export function payloadOf(fields: CodeFields): string {
  return storedPayload({ type: fields.type, ...compose(fields) });
}

/** The same for a code that exists. */
export function storedPayload({ type, ...stored }: { type: CodeType } & Stored): string {
  const content = withoutLoneSurrogates(stored.content);
  return content === '' ? '' : moduleOf(type).payload({ ...stored, content });
}

/** The content of a code in one short line, such as `example.com` or a network's name: the label of an unnamed code. */
export function contentLine({ type, content }: { type: string; content: string }): string {
  const line = ruleOf(type)?.line?.(content);
  if (line !== undefined) return line;
  const plain = content.replace(/^https?:\/\/(?:www\.)?/i, '').replace(/\/$/, '');
  return plain.replace(/\s+/g, ' ');
}

/** The content of a code as its owner reads and searches it. */
export function contentText({ type, content }: { type: string; content: string }): string {
  return ruleOf(type)?.text?.(content) ?? content;
}

/** The addresses that visits of a code, or links on its page, lead to, except for those in a text. */
export function linksOf({ type, content }: { type: string; content: string }) {
  return ruleOf(type)?.links?.(content) ?? [];
}

/** The address in the image of a code, below `shortUrl`. */
export function scanLinkOf(shortUrl: string, slug: string): string {
  // The alphanumeric mode of ISO/IEC 18004, which has no lower case, needs fewer and so larger modules.
  return withLowerCaseScheme(targetOf(`${shortUrl}/r/${slug}`).toUpperCase());
}

// A lone surrogate has no UTF-8 encoding, so it could not be read back.
function withoutLoneSurrogates(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\uFFFD');
}
