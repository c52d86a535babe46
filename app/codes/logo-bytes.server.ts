import { LRUCache } from 'lru-cache';
import sharp from 'sharp';
import { getCodeLogo } from '#contract/codes';
import { getDraftLogo } from '#contract/drafts';
import { getPreset, listPresets } from '#contract/logos';
import { callHost, fetchHost } from '~/http/host.server';
import { HostError } from '~/http/host-error.server';
import { log } from '~/http/log.server';
import type { Asker } from '~/http/scope.server';
import { presetName } from './preset-name';

const FIVE_MINUTES_MS = 5 * 60_000;
const LOGO_PX = 512;

const presetNames = new LRUCache<'all', string[]>({ max: 1, ttl: FIVE_MINUTES_MS, noDeleteOnStaleGet: true });
const sprites = new LRUCache<'all', string>({ max: 1, ttl: FIVE_MINUTES_MS });
const presetPngs = new LRUCache<string, Buffer>({ max: 64, ttl: FIVE_MINUTES_MS });

/** File names of the presets. The form works without them, so a host that is down leaves the last known ones. */
export async function presetFiles(asker: Asker): Promise<string[]> {
  const known = presetNames.get('all', { allowStale: false });
  if (known) return known;
  try {
    const names = await callHost(asker, listPresets, {});
    presetNames.set('all', names);
    return names;
  } catch (thrown) {
    log.warn({ err: thrown instanceof Error ? thrown : undefined }, 'presets not available');
    return presetNames.get('all', { allowStale: true }) ?? [];
  }
}

/** One SVG with a symbol per preset, named as the file without its ending. */
export async function presetSprite(asker: Asker): Promise<string> {
  const known = sprites.get('all');
  if (known) return known;
  const symbols: string[] = [];
  for (const file of await presetFiles(asker)) {
    const svg = (await fileOrNull(fetchHost(asker, getPreset, { params: { file } })))?.toString('utf8') ?? '';
    const [, attributes = '', shapes = ''] = /<svg xmlns="[^"]*"([^>]*)>([\s\S]*)<\/svg>/.exec(svg) ?? [];
    symbols.push(`<symbol id="${presetName(file)}"${attributes}>${shapes}</symbol>`);
  }
  const sprite = `<svg xmlns="http://www.w3.org/2000/svg">${symbols.join('')}</svg>`;
  sprites.set('all', sprite);
  return sprite;
}

/** PNG of a preset; null when there is no such file. */
export async function presetPng(asker: Asker, file: string): Promise<Buffer | null> {
  const known = presetPngs.get(file);
  if (known) return known;
  const svg = await fileOrNull(fetchHost(asker, getPreset, { params: { file } }));
  if (!svg) return null;
  const png = await sharp(svg, { density: 72 * (LOGO_PX / 24) })
    .resize(LOGO_PX, LOGO_PX)
    .png()
    .toBuffer();
  presetPngs.set(file, png);
  return png;
}

export async function draftLogoPng(asker: Asker, id: string, visitor: string): Promise<Buffer | null> {
  return fileOrNull(fetchHost(asker, getDraftLogo, { params: { id }, query: { visitor } }));
}

export async function codeLogoPng(asker: Asker, id: string, token: string): Promise<Buffer | null> {
  return fileOrNull(fetchHost(asker, getCodeLogo, { params: { id }, token }));
}

async function fileOrNull(answer: Promise<Response>): Promise<Buffer | null> {
  try {
    return Buffer.from(await (await answer).arrayBuffer());
  } catch (thrown) {
    if (thrown instanceof HostError && thrown.status === 404) return null;
    throw thrown;
  }
}
