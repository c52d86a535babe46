import { isbot } from 'isbot';
import { LRUCache } from 'lru-cache';

type Robot = 'bot' | 'preview';
type Device = 'phone' | 'tablet' | 'desktop' | 'other';
type Os = 'ios' | 'android' | 'windows' | 'macos' | 'linux' | 'chromeos' | 'other';

/** A parsed User-Agent header. `robot` is null for people's browsers. */
interface Agent {
  text: string;
  robot: Robot | null;
  device: Device;
  os: Os;
}

/** Fetch a preview of a link for a chat or a feed, before any person has opened it. */
const PREVIEWS =
  /^WhatsApp\/|Slackbot|Slack-ImgProxy|TelegramBot|Twitterbot|facebookexternalhit|facebookcatalog|meta-externalfetcher|Discordbot|LinkedInBot|SkypeUriPreview|Microsoft Teams|MicrosoftPreview|Viber\/|^Signal|Iframely|Embedly|redditbot|vkShare|Mattermost-Bot|Mastodon\/|Bluesky Cardyb|Pinterestbot|Snap URL Preview|ZaloPC-url-preview|Line-?Poker|kakaotalk-scrap|Google-PageRenderer/i;

/** Parts of people's User-Agent headers that look like a robot's: scanner apps, in-app browsers, phone models. */
const NOT_ROBOTS =
  /CamScanner(?:\/[\d.]+)?|\[FB[^\]]*\]|Instagram [\d.]+ .*$|\(Linux; (?:U; )?Android(?![^)]*(?:compatible|http))[^)]*\)/gi;

const agents = new LRUCache<string, Agent>({ max: 5_000 });
const languages = new LRUCache<string, string>({ max: 500 });
const MAX_HEADER_CHARS = 1_000;

/** A missing header counts as a robot: every browser sends one. */
export function readAgent(header: string | undefined): Agent {
  const text =
    header === undefined || header.length <= MAX_HEADER_CHARS
      ? (header ?? '')
      : header.slice(0, MAX_HEADER_CHARS);
  const cached = agents.get(text);
  if (cached) return cached;
  const agent = { text, robot: robotOf(text), device: deviceOf(text), os: osOf(text) };
  agents.set(text, agent);
  return agent;
}

function robotOf(text: string): Robot | null {
  if (PREVIEWS.test(text)) return 'preview';
  return text.trim() === '' || isbot(text.replace(NOT_ROBOTS, '')) ? 'bot' : null;
}

function deviceOf(text: string): Device {
  if (/\bTV\b|SmartTV|SMART-TV|GoogleTV|AppleTV|Web0S|Tizen|PlayStation|Xbox|Nintendo/i.test(text))
    return 'other';
  if (/iPad|Tablet(?! PC)|Silk\/|Kindle|PlayBook/i.test(text)) return 'tablet';
  if (/iPhone|iPod|Windows Phone|\bMobile\b|\bMobi\b/i.test(text)) return 'phone';
  if (/Android/i.test(text)) return 'tablet';
  return /Windows NT|Macintosh|X11|CrOS|Linux/i.test(text) ? 'desktop' : 'other';
}

function osOf(text: string): Os {
  if (/Windows/i.test(text)) return 'windows';
  if (/iPhone|iPad|iPod/i.test(text)) return 'ios';
  if (/Android/i.test(text)) return 'android';
  if (/\bCrOS\b/.test(text)) return 'chromeos';
  if (/Macintosh|Mac OS X/i.test(text)) return 'macos';
  return /Linux|X11/i.test(text) ? 'linux' : 'other';
}

/** The two-letter code of the preferred language of an Accept-Language header (RFC 9110); '' if there is none. */
export function readLanguage(header: string | undefined): string {
  if (!header || header.length > MAX_HEADER_CHARS) return '';
  const cached = languages.get(header);
  if (cached !== undefined) return cached;
  const language = preferredLanguage(header);
  languages.set(header, language);
  return language;
}

function preferredLanguage(header: string): string {
  let best = { tag: '', weight: 0 };
  for (const part of header.split(',')) {
    const [tag = '', quality] = part.trim().split(/\s*;\s*q=/i);
    const weight = quality === undefined ? 1 : Number(quality);
    if (weight > best.weight) best = { tag, weight };
  }
  return /^([a-z]{2})(?:-|$)/i.exec(best.tag)?.[1]?.toLowerCase() ?? '';
}

/**
 * Whether a browser prefetches or prerenders: `Sec-Purpose` (WHATWG Fetch) and the headers of older versions of Chrome,
 * Firefox and Safari. Such a visit is served but not counted.
 */
export function isSpeculative(header: (name: string) => string | undefined): boolean {
  const purpose = header('sec-purpose') ?? header('purpose') ?? header('x-purpose') ?? header('x-moz');
  return purpose !== undefined && /prefetch|prerender|preview/i.test(purpose);
}

export interface Visit {
  /** The gateway's, the same however often it sends the visit; none for visits that do not come through it. */
  id?: string | undefined;
  /** Null for a slug that no code has. */
  codeId: string | null;
  /** Milliseconds since the epoch. */
  at: number;
  source: 'scan' | 'click';
  class: 'human' | 'bot' | 'preview' | 'owner';
  outcome: 'served' | 'private' | 'unknown' | 'deleted' | 'blocked';
  agent: Agent;
  language: string;
  country: string;
  /** Used for the daily hash of the visitor, never stored. */
  clientIp: string;
}
