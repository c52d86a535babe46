/** The parameters of each POST; any other is refused as Stripe would. */
const ALLOWED: [path: RegExp, names: RegExp][] = [
  [/^\/v1\/customers$/, /^(email|name|preferred_locales\[\d\])$/],
  [/^\/v1\/customers\/\w+$/, /^(invoice_settings\[default_payment_method\]|email)$/],
  [
    /^\/v1\/checkout\/sessions$/,
    /^(mode|ui_mode|customer|currency|locale|client_reference_id|success_url|cancel_url)$/,
  ],
  [
    /^\/v1\/payment_intents$/,
    /^(amount|currency|customer|payment_method|allowed_payment_method_types\[0\]|off_session|confirm|description|metadata\[key\])$/,
  ],
  [/^\/v1\/refunds$/, /^(payment_intent|amount|reason)$/],
  [/^\/v1\/billing_portal\/sessions$/, /^(customer|return_url|locale)$/],
];

/** The first of these parameters that a POST to this path does not accept. */
export function unknownParameter(pathname: string, names: string[]): string | undefined {
  const [, accepted] = ALLOWED.find(([path]) => path.test(pathname)) ?? [];
  return names.find((name) => !accepted?.test(name));
}
