import { z } from 'zod';
import { ProfileForm } from '#contract/accounts';
import { AddressForm } from '#contract/addresses';
import type { Call } from '#contract/call';
import { TicketForm } from '#contract/tickets';
import {
  getAddressValidation,
  getProfileValidation,
  getTicketValidation,
  type validationCall,
} from '#contract/validation';
import type { Router } from '#host/http/mount';

type ValidationCall = ReturnType<typeof validationCall<string, Call['access']>>;

/** The schemas that the host enforces, by the call that publishes them. A new form needs one line here. */
const FORMS: [ValidationCall, z.ZodType][] = [
  [getTicketValidation, TicketForm],
  [getProfileValidation, ProfileForm],
  [getAddressValidation, AddressForm],
];

export function mountValidation({ mount }: Router): void {
  for (const [call, schema] of FORMS) {
    const data = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
    mount(call, async () => ({ data }));
  }
}
