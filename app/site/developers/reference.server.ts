import { PROBLEM_TYPE } from '#contract/errors';
import { env } from '~/http/env.server';
import type { Scope } from '~/http/scope.server';
import { i18nOf } from '~/i18n/messages.server';
import { type ExampleRequest, examplesOf, FIRST_CODE, MANY_CODES } from './examples';
import { describeSchemas, type Schema, type Side, sectionId } from './schema-text.server';
import type { Block, Section } from './sections';
import { MAKE_WEBHOOK } from './webhooks-text.server';

interface Operation {
  operationId: string;
  summary: string;
  parameters: { name: string; in: string; required?: boolean; description?: string; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  description: string;
  responses: Record<string, { description: string; content?: Record<string, { schema: Schema }> }>;
}

interface ApiDocument {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

const [released] = Object.values(
  import.meta.glob<ApiDocument>('/docs/api-v1.json', { eager: true, import: 'default' }),
);
const shared = released?.components.schemas ?? {};
const { rowsOf, typeOf, aboutOf } = describeSchemas(shared);
/** What calls have in common, by the side that sends it; problem documents are told of by the errors. */
const SIDES: Record<string, Side> = { Style: 'sent' };

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
    sections: [
      ...sections.sort((one, other) => one.title.localeCompare(other.title)),
      ...Object.keys(shared)
        .filter((name) => name !== 'Problem')
        .map(schemaSection),
    ],
  };
}

function schemaSection(name: string): Section {
  const side = SIDES[name] ?? 'received';
  const blocks = fieldsTable(`${name}: fields`, shared[name] ?? {}, side);
  return { id: sectionId(name), title: name, isEnglish: true, blocks };
}

function sectionOf(method: string, path: string, operation: Operation): Section {
  const { operationId, summary, description, requestBody, responses } = operation;
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
      { text: `${summary}. ${description}` },
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
function hasSuccess(content: Record<string, { schema: Schema }> = {}): boolean {
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
    aboutOf(
      { ...(parameter.description && { description: parameter.description }), ...parameter.schema },
      'sent',
    ),
  ]);
  return [{ caption: `${title}: parameters`, columns: ['Name', 'In', 'Type', 'About it'], rows }];
}

function fieldsTable(caption: string, schema: Schema, side: Side = 'sent'): Block[] {
  const rows = rowsOf(schema, side);
  return rows.length > 0 ? [{ caption, columns: ['Field', 'Type', 'About it'], rows }] : [];
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
