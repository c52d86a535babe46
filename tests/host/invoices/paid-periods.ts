import { randomUUID } from 'node:crypto';
import type { issueInvoice } from '#host/invoices/store';
import type { Buyer } from '#host/invoices/tax';
import type { TestHost } from '../../support/host';

export const BUYER: Buyer = {
  name: 'Ada Byron',
  company: '',
  street: '1 rue du Papier',
  postalCode: '75011',
  city: 'Paris',
  country: 'FR',
  professional: false,
  siret: '',
  vatNumber: '',
};

type Paid = Parameters<typeof issueInvoice>[1];

/** A paid month, invoiced in French. */
export function paid({ deps }: TestHost, fields: Partial<Paid> = {}): Paid {
  const { identity, appName, contactEmail } = deps.settings;
  return {
    accountId: randomUUID(),
    paymentId: randomUUID(),
    amountCents: 990,
    plan: 'basic_monthly',
    periodStart: new Date('2026-03-04T10:00:00.000Z'),
    periodEnd: new Date('2026-04-04T10:00:00.000Z'),
    buyer: BUYER,
    seller: { ...identity.seller, appName, contactEmail },
    reference: 'Q-00000-00001',
    locale: 'fr',
    ...fields,
  };
}
