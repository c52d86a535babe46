/** Set by this server only: Remix removes `.data` from the address before a loader sees it. */
export const DATA_HEADER = 'x-data-request';

/**
 * Whether the router requests data, rather than the browser a document. Judged by the address: not every
 * browser sends `Sec-Fetch-Dest`, and none does to a site without TLS
 * (https://www.w3.org/TR/fetch-metadata/).
 */
export function isDataRequest(request: Request): boolean {
  return request.headers.get(DATA_HEADER) === '1';
}
