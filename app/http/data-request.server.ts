/** Written by this server alone: the framework takes `.data` off the address before a loader sees it. */
export const DATA_HEADER = 'x-data-request';

/**
 * Whether the page's own script asks, and not the browser for a document. Told by the address: not every browser sends
 * `Sec-Fetch-Dest`, and none to a site without encryption (https://www.w3.org/TR/fetch-metadata/).
 */
export function isDataRequest(request: Request): boolean {
  return request.headers.get(DATA_HEADER) === '1';
}
