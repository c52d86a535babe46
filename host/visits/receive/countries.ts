import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isIP } from 'node:net';
import { type CountryResponse, Reader } from 'mmdb-lib';
import type { Logger } from 'pino';
import type { Countries } from '#host/http/request-headers';
import { createRepeatedError } from '#runtime/log';

const DATABASE = '@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb';
/** IPv4 addresses as a socket for both versions writes them. */
const MAPPED = /^::ffff:(?=\d+\.)/i;

export const NO_COUNTRIES: Countries = { find: () => '', asOf: null };

/** The database that npm has installed. */
export function readInstalledDatabase(): Buffer {
  return readFileSync(createRequire(import.meta.url).resolve(DATABASE));
}

/** Reads a database in MaxMind's format; without one that can be read, every country is unknown. */
export function openCountries(read: () => Buffer, log: Logger): Countries {
  try {
    const reader = new Reader<CountryResponse & { country_code?: unknown }>(read());
    const unreadable = createRepeatedError(log, 'the database of countries is damaged');
    const find = (ip: string) => {
      if (isIP(ip) === 0) return '';
      try {
        const code = reader.get(ip.replace(MAPPED, ''))?.country_code;
        return typeof code === 'string' && /^[A-Z]{2}$/.test(code) ? code : '';
      } catch (error) {
        unreadable.add({ err: error });
        return '';
      }
    };
    return { find, asOf: reader.metadata.buildEpoch };
  } catch (error) {
    log.warn(
      { err: error },
      'the database of countries cannot be read: visits are counted without a country',
    );
    return NO_COUNTRIES;
  }
}
