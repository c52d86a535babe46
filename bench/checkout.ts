/** What the sandbox's card page is sent, with a card that is always charged. */
export function cardOf(name: string): Record<string, string> {
  return { name, number: '4242424242424242', expiry: '12/34', cvc: '123' };
}

/** The body of an order. */
export function checkout(buyer: { name: string; email: string; key: string; trial?: false }) {
  return {
    slug: 'basic_monthly',
    address: '1 rue du Papier',
    zip_code: '75011',
    city: 'Paris',
    country: 'FR',
    terms: true,
    waiver: true,
    locale: 'gb',
    ...buyer,
  };
}
