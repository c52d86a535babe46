export const BILLINGS = ['monthly', 'yearly'] as const;
export type Billing = (typeof BILLINGS)[number];

/** The billing named in a query; monthly when none is. */
export function readBilling(query: string): Billing {
  const asked = new URLSearchParams(query).get('billing');
  return BILLINGS.find((billing) => billing === asked) ?? 'monthly';
}
