import { LRUCache } from 'lru-cache';
import { getDraftLogo } from '#contract/drafts';
import type { OwnLogo } from '#contract/logo-choice';
import { getCodeLogo, getLogo, getPreset, listPresets } from '#contract/logos';
import { listStyles } from '#contract/styles';
import { callHost, fetchHost } from '~/http/host.server';
import { isNotFound } from '~/http/host-error.server';
import { log } from '~/http/log.server';
import { isSignedIn, type Scope, type UserScope } from '~/http/scope.server';
import { staleIfError } from '~/http/stale-if-error.server';
import { isPreset } from './logo-address';
import { presetName } from './logo-chooser';

const FIVE_MINUTES_MS = 5 * 60_000;

const presetNames = staleIfError((scope) => callHost(scope, listPresets));
const presetSvgs = new LRUCache<string, Buffer>({ max: 64, ttl: FIVE_MINUTES_MS });

/** File names of the presets. The form works without them, so the last known ones are used while the host is down. */
export async function presetFiles(scope: Scope): Promise<string[]> {
  try {
    return await presetNames(scope);
  } catch (thrown) {
    log.warn({ err: thrown instanceof Error ? thrown : undefined }, 'could not load the logo presets');
    return [];
  }
}

/**
 * One SVG with a symbol per preset, named like the file without its extension. Rejects unless all presets
 * load.
 */
export const presetSprite = staleIfError(async (scope) => {
  const symbols = (await presetNames(scope)).map(async (file) => {
    const svg = await (await fetchHost(scope, getPreset, { params: { file } })).text();
    const [, attributes = '', shapes = ''] = /<svg xmlns="[^"]*"([^>]*)>([\s\S]*)<\/svg>/.exec(svg) ?? [];
    return `<symbol id="${presetName(file)}"${attributes}>${shapes}</symbol>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg">${(await Promise.all(symbols)).join('')}</svg>`;
});

/** SVG of a preset; null when there is no such file. */
export async function presetSvg(scope: Scope, file: string): Promise<Buffer | null> {
  const known = presetSvgs.get(file);
  if (known) return known;
  const svg = await fileOrNull(fetchHost(scope, getPreset, { params: { file } }));
  if (svg) presetSvgs.set(file, svg);
  return svg;
}

export async function draftLogoPng(scope: Scope, id: string): Promise<Buffer | null> {
  const query = { visitor: scope.visitor.key };
  return fileOrNull(fetchHost(scope, getDraftLogo, { params: { id }, query }));
}

/** The account's own logos; none when they cannot be loaded, as a code can do without them. */
export async function ownLogos(scope: UserScope): Promise<OwnLogo[]> {
  return callHost(scope, listStyles).then(
    ({ logos }) => logos,
    () => [],
  );
}

/** The picture of a logo that a form names: a preset's file, or the id of one of the account's own. */
export async function namedLogo(scope: Scope, name: string): Promise<Buffer | null> {
  if (isPreset(name)) return presetSvg(scope, name);
  return isSignedIn(scope) ? fileOrNull(fetchHost(scope, getLogo, { params: { id: name } })) : null;
}

export async function codeLogoPng(scope: UserScope, id: string): Promise<Buffer | null> {
  return fileOrNull(fetchHost(scope, getCodeLogo, { params: { id } }));
}

/** The logo, or null (logged) when it cannot be loaded: a picture without its logo is better than none. */
export async function logoOrNull(logo: Promise<Buffer | null>): Promise<Buffer | null> {
  const found = await logo.catch((thrown: unknown) => {
    log.warn({ err: thrown }, 'could not load a logo; showing its code without it');
    return undefined;
  });
  if (found === null) log.warn('a logo is missing; showing its code without it');
  return found ?? null;
}

async function fileOrNull(response: Promise<Response>): Promise<Buffer | null> {
  try {
    return Buffer.from(await (await response).arrayBuffer());
  } catch (thrown) {
    if (isNotFound(thrown)) return null;
    throw thrown;
  }
}
