import { isbot } from 'isbot';
import { LRUCache } from 'lru-cache';
import type { VisitCampaign } from '#contract/campaign';
import { acceptedLanguages } from '#runtime/accept-language';

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

/** Most visits: a browser without any additions. */
const PLAIN_BROWSER =
  /^Mozilla\/5\.0 \((?:iPhone; CPU iPhone OS [\d_]+ like Mac OS X|Linux; Android [\d.]+; [^;()]*|Windows NT 10\.0; Win64; x64|Macintosh; Intel Mac OS X [\d_]+)\) AppleWebKit\/[\d.]+ \(KHTML, like Gecko\)(?: (?:Version|Chrome|CriOS|FxiOS|GSA|SamsungBrowser|Mobile|Safari|EdgA?|OPR)(?:\/[\w.]+)?)+$/;

/** Fetch a preview of a link for a chat or a feed, before any person has opened it. */
const PREVIEWS =
  /^WhatsApp\/|^Viber\b|^Signal|Slackbot|Slack-ImgProxy|TelegramBot|Twitterbot|facebookexternalhit|facebookcatalog|meta-externalfetcher|Discordbot|LinkedInBot|SkypeUriPreview|Microsoft Teams|MicrosoftPreview|Iframely|Embedly|redditbot|vkShare|Mattermost-Bot|Mastodon\/|Bluesky Cardyb|Pinterestbot|Snap URL Preview|ZaloPC-url-preview|Line-?Poker|kakaotalk-scrap|Google-PageRenderer/i;

/** Office, which fetches a link before it opens it in the browser, and programs that check the links of mails. */
const LINK_CHECKERS =
  /ms-office|MSOffice|Microsoft (?:Office|Outlook|Word|Excel|PowerPoint|OneNote)|^Outlook-(?:iOS|Android)|MacOutlook|SafeLinks|Barracuda|Mimecast|Proofpoint|dart:io|GTmetrix/;

/** What every browser names besides `Mozilla`: its engine, itself or its device. */
const BROWSER_PARTS =
  /WebKit|Gecko|KHTML|MSIE|Trident|Presto|Opera|Android|iPhone|iPad|Mobile|Windows Phone|Browser|Navigator|Clecko|Goanna|Ladybird|Amiga|Symbian|Series60|Palm|MeeGo|Nintendo/;

/** What is left to be looked at if it contains words of robots; those with the header of a browser say `compatible`. */
const IN_BROWSER_FORM = /^(?:Mozilla|UCWEB)\/(?!.*compatible)/;

/** Parts of people's User-Agent headers that look like a robot's: apps that scan QR codes, in-app browsers, phone models. */
const NOT_ROBOTS =
  /(?<=[\s;,([])[^\s;,()[\]/]*(?:QR|NFC|barcode|camscan)\S*(?: (?:&|and|code|barcode|scanner|reader|tools)\S*)*|\[FB[^\]]*\]|Instagram [\d.]+ .*$|\(Linux; (?:U; |arm_64; )?Android(?![^)]*(?:compatible|http|-Google\/|Catchpoint))[^)]*\)/gi;

/** In-app browsers of phones and tablets; those of an iPad look like a Mac's, but name no browser. */
const APP_BROWSERS =
  /^(?:UCWEB\/|Mozilla\/5\.0 \((?:[^)]*(?:iPhone|iPad|iPod|Android|OpenHarmony)|Macintosh[^)]*\) AppleWebKit\/[\d.]+ \(KHTML, like Gecko\)(?!.* Safari\/)))/;

/** Words of robots that are also in names of apps, and data that apps append. */
const APP_NAMES =
  /(?<=[\s;,([])(?:(?:air\.)?com\.|GmmClient:|Process\/|TTID\/|[^\s;,()[\]/]*(?:scan|reader|news|sogou|search|library|proxy|download|capture|archive|discover|detect|inspect|measure|check|advisor|radar|feedly|Google(?: ?Lens|Wv|App)|CoreAssistant))\S*|[a-z]\([^)]*\)|;\s*$/gi;

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
  if (PLAIN_BROWSER.test(text)) return null;
  if (PREVIEWS.test(text)) return 'preview';
  if (text.trim() === '') return 'bot';
  if (!isbot(text)) return isLinkChecker(text) ? 'bot' : null;
  if (!IN_BROWSER_FORM.test(text)) return 'bot';
  const rest = text.replace(NOT_ROBOTS, '');
  return isbot(APP_BROWSERS.test(text) ? rest.replace(APP_NAMES, '') : rest) ? 'bot' : null;
}

/** What the library takes for a browser, but is none. */
function isLinkChecker(text: string): boolean {
  return LINK_CHECKERS.test(text) || (text.startsWith('Mozilla/') && !BROWSER_PARTS.test(text));
}

function deviceOf(text: string): Device {
  if (/\bTV\b|SmartTV|SMART-TV|GoogleTV|AppleTV|Web0S|Tizen|PlayStation|Xbox|Nintendo/i.test(text))
    return 'other';
  if (/iPad|Tablet(?! PC)|Silk\/|Kindle|PlayBook/i.test(text)) return 'tablet';
  if (
    /iPhone|iPod|Windows Phone|\bMobile\b|\bMobi\b|Opera Mini|MIDP|Symb(?:ian|OS)|Nokia|BlackBerry/i.test(
      text,
    )
  )
    return 'phone';
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

/** The preferred language of an Accept-Language header, by its ISO 639 code; '' if there is none. */
export function readLanguage(header: string | undefined): string {
  // A header that is too long has none and is not worth the memory.
  if (!header || header.length > MAX_HEADER_CHARS) return '';
  const cached = languages.get(header);
  if (cached !== undefined) return cached;
  const language = acceptedLanguages(header)[0] ?? '';
  languages.set(header, language);
  return language;
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
  /** Whether the gateway may have sent it before. */
  isResent?: boolean | undefined;
  /** Null for a slug that no code has. */
  codeId: string | null;
  /** Milliseconds since the epoch. */
  at: number;
  source: 'scan' | 'click';
  class: 'human' | 'bot' | 'preview' | 'owner';
  outcome: 'served' | 'private' | 'unknown' | 'deleted' | 'blocked' | 'paused' | 'ended';
  /** Which target of a code with a routing answered; 0 is its content. */
  route?: number | undefined;
  /** What the address says that the visitor is led to; undefined if it says nothing. */
  campaign?: VisitCampaign | undefined;
  agent: Agent;
  language: string;
  country: string;
  /** Used for the daily hash of the visitor, never stored. */
  clientIp: string;
}
