import { PROBLEM_TYPE } from '#contract/errors';
import { env } from '~/http/env.server';
import type { Scope } from '~/http/scope.server';
import { i18nOf } from '~/i18n/messages.server';
import { type ExampleRequest, examplesOf, FIRST_CODE, MANY_CODES } from './examples';
import type { Block, Section } from './sections';
import { MAKE_WEBHOOK } from './webhooks-text.server';

interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  description?: string;
  default?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  maxLength?: number;
}

interface Operation {
  operationId: string;
  summary: string;
  parameters: { name: string; in: string; required?: boolean; description?: string; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { description: string; content: Record<string, { schema: Schema }> }>;
}

interface ApiDocument {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

const [released] = Object.values(
  import.meta.glob<ApiDocument>('/docs/api-v1.json', { eager: true, import: 'default' }),
);
/** Fields within fields are listed down to here. */
const DEPTH = 4;

/** What the examples send, by the name of the call. */
const SENT: Record<string, Pick<ExampleRequest, 'body' | 'file'>> = {
  getStatistics: { body: { period: 30, timeZone: 'Europe/Paris' } },
  selectCodes: { body: { ids: ['CODE_ID'] } },
  updateCode: { body: { content: 'https://example.com/menu', style: { moduleShape: 'dots' } } },
  createCode: { body: { ...FIRST_CODE, name: 'Table 7', tags: ['Menu'] } },
  createCodes: { body: MANY_CODES },
  saveStyle: { body: { name: 'Terrace', style: { moduleShape: 'rounded', moduleColour: '#1b4332' } } },
  updateStyle: { body: { name: 'Terrace' } },
  startBulkAct: { body: { act: 'archive', filter: { tag: 'Menu' } } },
  createImport: { file: { field: 'file', name: 'codes.csv' } },
  startImport: { body: {} },
  createWebhook: { body: MAKE_WEBHOOK.body },
  updateWebhook: { body: { enabled: false } },
  addRule: { body: { languages: ['fr'], variants: [{ target: 'https://example.com/fr' }] } },
  changeRule: { body: { systems: ['ios'], variants: [{ target: 'https://example.com/app' }] } },
  moveRule: { body: { position: 1 } },
  keepVariant: { body: { route: 2 } },
  copyCode: { body: { name: 'Table 8' } },
  uploadLogo: { file: { field: 'logo', name: 'logo.png' } },
};
/** A file for an answer that is a picture. */
const OUTPUTS: Record<string, string> = { 'image/png': 'logo.png', 'image/svg+xml': 'code.svg' };
const QUERIES: Record<string, string> = { exportStatistics: '?period=30' };

export function referenceData({ locale }: Pick<Scope, 'locale'>) {
  const { t } = i18nOf(locale);
  const sections = Object.entries(released?.paths ?? {}).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => sectionOf(method.toUpperCase(), path, operation)),
  );
  return {
    title: t('developers:reference.title'),
    lead: t('developers:reference.lead'),
    sections: sections.sort((one, other) => one.title.localeCompare(other.title)),
  };
}

function sectionOf(method: string, path: string, operation: Operation): Section {
  const { operationId, summary, requestBody, responses } = operation;
  const title = `${path} ${method}`;
  const [sent] = Object.entries(requestBody?.content ?? {});
  const [status = '', answer] =
    Object.entries(responses).find(([, { content }]) => hasSuccess(content)) ?? [];
  const mediaTypes = Object.keys(answer?.content ?? {});
  const [mediaType = '', received] = Object.entries(answer?.content ?? {})[0] ?? [];
  const request: ExampleRequest = {
    method,
    path: path
      .replace('{id}', `${idOf(path)}_ID`)
      .replace('{delivery}', 'DELIVERY_ID')
      .replace('{file}', 'daily.csv')
      .replace('{format}', 'svg')
      .replace('{rule}', '1')
      .concat(QUERIES[operationId] ?? ''),
    ...SENT[operationId],
    output: mediaType.startsWith('image/') ? OUTPUTS[mediaType] : undefined,
  };
  return {
    id: operationId,
    title,
    isEnglish: true,
    blocks: [
      { text: `${summary}.` },
      ...parametersOf(operation, title),
      ...(sent ? fieldsTable(`${title}: body (${sent[0]})`, sent[1].schema) : []),
      { text: `Success: ${status}, ${mediaTypes.map((type) => `\`${type}\``).join(' or ')}` },
      ...fieldsTable(`${title}: response`, received?.schema ?? {}, 'received'),
      errorsTable(title, responses),
      ...examplesOf(request, env.PUBLIC_URL, title),
    ],
  };
}

/** An answer to a trial has no data. */
function hasSuccess(content: Record<string, { schema: Schema }>): boolean {
  const [first] = Object.entries(content);
  return first !== undefined && first[0] !== PROBLEM_TYPE && !first[1].schema.properties?.dryRun;
}

function idOf(path: string): string {
  return (path.split('/')[3] ?? '').replace(/s$/, '').toUpperCase();
}

function parametersOf({ parameters }: Operation, title: string): Block[] {
  if (parameters.length === 0) return [];
  const rows = parameters.map((parameter) => [
    parameter.name,
    parameter.in,
    `${typeOf(parameter.schema)}${parameter.required ? ', required' : ''}`,
    [parameter.description, aboutOf(parameter.schema)].filter(Boolean).join(' '),
  ]);
  return [{ caption: `${title}: parameters`, columns: ['Name', 'In', 'Type', 'About it'], rows }];
}

type Side = 'sent' | 'received';

function fieldsTable(caption: string, schema: Schema, side: Side = 'sent'): Block[] {
  const rows = fieldsOf(schema, '', side);
  return rows.length > 0 ? [{ caption, columns: ['Field', 'Type', 'About it'], rows }] : [];
}

function fieldsOf(given: Schema, prefix: string, side: Side, depth = DEPTH): string[][] {
  const { properties = {}, required = [] } = innerOf(given);
  if (depth === 0) return [];
  return Object.entries(properties).flatMap(([name, field]) => {
    const isThere = required.includes(name) && field.default === undefined;
    const note = side === 'sent' ? isThere && ', required' : !isThere && ', may be absent';
    const { type, items } = innerOf(field);
    const [part, step] = type === 'array' && items ? [items, '[].'] : [field, '.'];
    return [
      [`${prefix}${name}`, `${typeOf(field)}${note || ''}`, aboutOf(field)],
      ...fieldsOf(part, `${prefix}${name}${step}`, side, depth - 1),
    ];
  });
}

/** What a reference, or a union with null, is about. */
function innerOf(schema: Schema): Schema {
  if (schema.$ref) return released?.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {};
  const [only, ...others] = (schema.anyOf ?? []).filter(({ type }) => type !== 'null');
  return only && others.length === 0 ? innerOf(only) : schema;
}

function typeOf(schema: Schema): string {
  const parts = schema.anyOf ?? schema.oneOf;
  if (parts) return [...new Set(parts.map(typeOf))].join(' or ');
  const { type, items } = innerOf(schema);
  if (type === 'array' && items) return `array of ${typeOf(items)}`;
  return [type ?? 'any'].flat().join(' or ');
}

function aboutOf(schema: Schema): string {
  const inner = innerOf(schema);
  const values = 'const' in inner ? [inner.const] : inner.enum;
  return [
    schema.description ?? inner.description,
    values && `One of ${values.map((value) => `\`${value}\``).join(', ')}.`,
    schema.default !== undefined && `Default: \`${JSON.stringify(schema.default)}\`.`,
  ]
    .filter(Boolean)
    .join(' ');
}

function errorsTable(title: string, responses: Operation['responses']): Block {
  const rows = Object.entries(responses)
    .filter(([status]) => Number(status) >= 400)
    .map(([status, { description }]) => [
      status,
      description
        .split(', ')
        .map((code) => `[${code}](/developers/errors#${code})`)
        .join(', '),
    ]);
  return { caption: `${title}: errors`, columns: ['Status', 'Codes'], rows };
}
