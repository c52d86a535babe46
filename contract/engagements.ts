import { z } from 'zod';
import { call } from './call';
import { ACTS } from './contents/contents';

const code = z.string().max(64);

/**
 * An action on the light page of a code: `write` of an e-mail code leads to its `mailto:` address (RFC 6068),
 * `open` of a text code to the n-th web address in its text. Returns 302 to a caller that accepts JSON, even
 * if the action could not be counted, and for `save` the file of the contact or the event; a browser is sent to the
 * website, which makes this call. While the code is paused or has ended, each action leads to what a visit then gets.
 */
export const followAction = call({
  name: 'followAction',
  method: 'GET',
  path: '/e/{code}/{act}',
  summary: 'Follow an action offered on the page of a code; counted once per person, action and UTC day',
  access: 'public',
  params: z.object({ code, act: z.enum(ACTS) }),
  query: z.object({
    /** Which of several addresses, from 1. */
    n: z.coerce.number().int().min(1).catch(1),
  }),
  status: 302,
  errors: ['code_private', 'code_unknown', 'code_deleted', 'not_found', 'unavailable'],
});

export const reportCopy = call({
  name: 'reportCopy',
  method: 'POST',
  path: '/e/{code}/copy',
  summary: "Report that the page's script copied the code's content; counted like an action",
  access: 'public',
  params: z.object({ code }),
  status: 204,
  errors: ['code_private', 'code_unknown', 'code_deleted', 'not_found', 'unavailable'],
});

/**
 * The beacon of a link code: its destination calls it when a visitor converts. Any site may call it; no cookie is read
 * or set. Counts once per visitor and UTC day, and only for visitors of the code on that day.
 */
export const reportByImage = call({
  name: 'reportByImage',
  method: 'GET',
  path: '/b/{code}',
  summary: 'Report an engagement at the destination of a link; returns a transparent image',
  access: 'public',
  params: z.object({ code }),
  errors: ['code_private', 'code_unknown', 'code_deleted', 'not_found', 'rate_limited', 'unavailable'],
});

export const reportByPost = call({
  name: 'reportByPost',
  method: 'POST',
  path: '/b/{code}',
  summary: 'Report an engagement at the destination of a link; for navigator.sendBeacon and fetch',
  access: 'public',
  params: z.object({ code }),
  status: 204,
  errors: ['code_private', 'code_unknown', 'code_deleted', 'not_found', 'rate_limited', 'unavailable'],
});
