import { geoAddress, type Position } from '#contract/contents/positions';

/** Opens the maps of the phone at an address; elsewhere those of OpenStreetMap. */
export function mapOf(address: string, os: string): string {
  const query = encodeURIComponent(address.replace(/\s*\n\s*/g, ', '));
  if (os === 'ios') return `https://maps.apple.com/?q=${query}`;
  return os === 'android' ? `geo:0,0?q=${query}` : `https://www.openstreetmap.org/search?query=${query}`;
}

/** The ways to a position, by number: the maps of the phone, then of three providers. */
export function mapsAt(position: Position, name: string, os: string): string[] {
  const { latitude, longitude } = position;
  const pair = `${latitude},${longitude}`;
  const label = name ? encodeURIComponent(name) : pair;
  const apple = `https://maps.apple.com/?ll=${pair}&q=${label}`;
  return [
    // Safari knows no `geo:` addresses.
    os === 'ios' ? apple : geoAddress(position) + (os === 'android' && name ? `?q=${pair}(${label})` : ''),
    `https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=17/${latitude}/${longitude}`,
    `https://www.google.com/maps/search/?api=1&query=${pair}`,
    apple,
  ];
}
