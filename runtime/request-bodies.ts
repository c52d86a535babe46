import { IMPORT_FORM_BYTES } from '#contract/imports';
import { LOGO_BYTES_LIMIT, LOGO_FORM_BYTES_LIMIT } from '#contract/logo-choice';

/** For a form with text fields only. */
const TEXT_BYTES = 64 * 1024;
/** For a form that names thousands of codes, and for all rules of one. */
const SELECTION_BYTES = 256 * 1024;
/** For a thousand codes with all they may have. */
const BATCH_BYTES = 4 * 1024 * 1024;
/** Four times the logo limit: an oversized photo is read completely, so that its size can be reported. */
const LOGO_BYTES = 4 * LOGO_BYTES_LIMIT;

const LARGER: [path: RegExp, bytes: number][] = [
  [/^\/(?:create(?:\/receipt)?|_root)?$/i, LOGO_BYTES],
  [/^\/user\/(?:qrcodes\/(?:[^/]+\/look|selection|import\/[^/]+)|styles\/[^/]+)$/i, LOGO_BYTES],
  [/^\/user\/qrcodes\/import$/i, IMPORT_FORM_BYTES],
  [/^\/api\/v1\/imports$/, IMPORT_FORM_BYTES],
  [/^\/api\/v1\/codes\/batch$/, BATCH_BYTES],
  [/^\/api\/v1\/codes\/[^/]+$/, SELECTION_BYTES],
  [/^\/api\/v1\/logos$/, LOGO_FORM_BYTES_LIMIT],
  [/^\/user\/qrcodes\/(?:sheet|zip)(?:\/download)?$/i, SELECTION_BYTES],
];

/** Body limit in bytes of the website, and of the gateway for calls of programs, for posts to a path; more is a 413. */
export function formBytesLimit(path: string): number {
  const page = path.replace(/\.data$/, '').replace(/(?<=.)\/$/, '');
  return LARGER.find(([paths]) => paths.test(page))?.[1] ?? TEXT_BYTES;
}

/** Whether a body is compressed, by its `Content-Encoding`. We inflate none: a few kB may become gigabytes. */
export function isCompressed(contentEncoding: string | null | undefined): boolean {
  return (contentEncoding ?? '')
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .some((coding) => coding !== '' && coding !== 'identity');
}
