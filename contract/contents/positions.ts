// Places on Earth as people paste them. Browsers load this, so it must not need Node or a library.

export interface Position {
  latitude: number;
  longitude: number;
}

const NUMBER = String.raw`[-+−]?\d{1,3}(?:[.,]\d+)?`;
/** `48.137, 11.575`, `48,137 11,575` or `48.137;11.575`, perhaps as a `geo:` address. */
const PAIR = new RegExp(
  String.raw`^(?:geo:)?\s*(${NUMBER})°?\s*(?:[,;]\s*|\s)(${NUMBER})°?(?:[,;?].*)?$`,
  'is',
);
/** `48°08'14"N 11°34'31"E`, also with letters before and without minutes and seconds. */
const ANGLE = String.raw`(\d{1,3})\s*[°º]\s*(?:(\d{1,2}(?:[.,]\d+)?)\s*['′’]\s*)?(?:(\d{1,2}(?:[.,]\d+)?)\s*(?:"|″|”|''|′′)\s*)?`;
const ANGLES = new RegExp(String.raw`^([NS])?\s*${ANGLE}([NS])?[\s,;]*([EW])?\s*${ANGLE}([EW])?$`, 'i');
/** Where the addresses of maps have a place: of the pin before that of the middle of the map. */
const IN_ADDRESSES = [
  /!3d(-?\d+(?:\.\d+)?)!4d(-?\d+(?:\.\d+)?)/,
  /[?&]mlat=(-?\d+(?:\.\d+)?)&mlon=(-?\d+(?:\.\d+)?)/,
  /[?&](?:q|query|ll|sll|daddr|destination|coordinate|center|cp)=(?:loc:)?(-?\d+(?:\.\d+)?)(?:,|%2C|~|%7E)\+?(-?\d+(?:\.\d+)?)(?:&|$)/i,
  /[/]@(-?\d+(?:\.\d+)?),(-?\d+(?:\.\d+)?)/,
  /#map=[\d.]+\/(-?\d+(?:\.\d+)?)\/(-?\d+(?:\.\d+)?)/,
  /\/(?:place|search|dir\/)\/?(-?\d+\.\d+),\+?(-?\d+\.\d+)/,
];

/** The place in a text or in the address of a map; null if there is none. */
export function readPosition(entered: string): Position | null {
  const text = entered.trim();
  if (/^https?:\/\//i.test(text)) return fromAddress(text);
  const [, latitude, longitude] = PAIR.exec(text) ?? [];
  if (latitude !== undefined && longitude !== undefined)
    return within(toNumber(latitude), toNumber(longitude));
  return fromAngles(text);
}

function fromAddress(address: string): Position | null {
  for (const pattern of IN_ADDRESSES) {
    const [, latitude, longitude] = pattern.exec(address) ?? [];
    if (latitude !== undefined && longitude !== undefined)
      return within(toNumber(latitude), toNumber(longitude));
  }
  return null;
}

function fromAngles(text: string): Position | null {
  const found = ANGLES.exec(text);
  if (!found) return null;
  const [
    ,
    north = '',
    d = '',
    m = '',
    s = '',
    northAfter = '',
    east = '',
    e = '',
    f = '',
    g = '',
    eastAfter = '',
  ] = found;
  const [ns, ew] = [(north || northAfter).toUpperCase(), (east || eastAfter).toUpperCase()];
  if (ns === '' || ew === '') return null;
  return within(degrees(d, m, s) * (ns === 'S' ? -1 : 1), degrees(e, f, g) * (ew === 'W' ? -1 : 1));
}

function degrees(whole: string, minutes: string, seconds: string): number {
  return Number(whole) + toNumber(minutes || '0') / 60 + toNumber(seconds || '0') / 3_600;
}

function toNumber(text: string): number {
  return Number(text.replace(',', '.').replace('−', '-'));
}

function within(latitude: number, longitude: number): Position | null {
  const isOnEarth = Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
  return isOnEarth ? { latitude: rounded(latitude), longitude: rounded(longitude) } : null;
}

/** To a tenth of a metre, without the exponents that tiny numbers have. */
function rounded(angle: number): number {
  return Number(angle.toFixed(6)) || 0;
}

/** As in `48.137154, 11.576124`. */
export function positionText({ latitude, longitude }: Position): string {
  return `${plain(latitude)}, ${plain(longitude)}`;
}

function plain(angle: number): string {
  return angle.toFixed(6).replace(/\.?0+$/, '');
}

/** A `geo:` address by RFC 5870. */
export function geoAddress({ latitude, longitude }: Position): string {
  return `geo:${plain(latitude)},${plain(longitude)}`;
}
