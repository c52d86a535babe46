import { codeAt } from '../support/authenticator';
import type { Fields } from './bodies';
import { FilePart } from './schema-values';

interface Known {
  email: string;
  password: string;
  /** Of the authenticator app, in base32; empty if there is none. */
  secret: string;
}

const CSV = new FilePart('codes.csv', 'text/csv', Buffer.from('content\nhttps://imported.example/'));
const VALUES: Record<string, string> = {
  address: 'https://example.org/',
  content: 'https://example.org/',
  data: 'hello',
  name: 'Mallory',
  firstname: 'Mallory',
  lastname: 'Smith',
  subject: 'Hello',
  message: 'A longer message',
  street: '1 rue du Papier',
  city: 'Paris',
  country: 'FR',
  postal_code: '75011',
  zip_code: '75011',
};

/** Fills a field that was rendered empty with a valid value, chosen by its name. */
export function fillIfEmpty([name, value]: Fields[number], known: Known): Fields[number] {
  if (value instanceof FilePart) return [name, name === 'file' ? CSV : value];
  if (value) return [name, value];
  if (name === 'email') return [name, known.email];
  if (/password/i.test(name)) return [name, known.password];
  if (name === 'code' && known.secret) return [name, codeAt(known.secret, new Date())];
  return [name, VALUES[name] ?? value];
}
