import { z } from 'zod';
import type { PageType } from './contents';

const use = z.enum(['work', 'home']);

const shapes = {
  text: z.object({
    kind: z.literal('text'),
    text: z.string(),
    /** Web addresses in the text, as written there; `open` with number n leads to the n-th. */
    links: z.array(z.string()).default([]),
  }),
  email: z.object({ kind: z.literal('email'), address: z.string(), subject: z.string(), body: z.string() }),
  phone: z.object({
    kind: z.literal('phone'),
    /** With its extension, as in `+33123456789;ext=12`. */
    number: z.string(),
  }),
  contact: z.object({
    kind: z.literal('contact'),
    name: z.string(),
    organisation: z.string(),
    jobTitle: z.string(),
    phones: z.array(z.object({ use: z.enum(['mobile', ...use.options]), number: z.string() })),
    emails: z.array(z.object({ use, address: z.string() })),
    addresses: z.array(z.object({ use, text: z.string() })),
    /** Empty if there is none, or if it is blocked. */
    website: z.string(),
    note: z.string(),
  }),
  event: z.object({
    kind: z.literal('event'),
    title: z.string(),
    times: z.discriminatedUnion('isAllDay', [
      z.object({ isAllDay: z.literal(true), from: z.string(), to: z.string() }),
      z.object({ isAllDay: z.literal(false), from: z.number(), to: z.number(), zone: z.string() }),
    ]),
    venue: z.string(),
    description: z.string(),
    /** Empty if there is none, or if it is blocked. */
    page: z.string(),
  }),
  place: z.object({
    kind: z.literal('place'),
    /** As in `48.137154, 11.576124`. */
    position: z.string(),
    name: z.string(),
    address: z.string(),
  }),
  app: z.object({
    kind: z.literal('app'),
    /** Without blocked ones. */
    stores: z.array(
      z.object({ store: z.enum(['appStore', 'googlePlay', 'otherAddress']), address: z.string() }),
    ),
  }),
} satisfies Record<PageType, z.ZodType>;

/** What a visitor of a code's address gets if it is not a redirect. */
export const Landing = z.union(Object.values(shapes));
export type Landing = z.infer<(typeof shapes)[PageType]>;
