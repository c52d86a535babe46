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
const FORMS = [
  rulesOf(getTicketValidation, TicketForm),
  rulesOf(getProfileValidation, ProfileForm),
  rulesOf(getAddressValidation, AddressForm),
];

function rulesOf(call: ValidationCall, schema: z.ZodType) {
  return { call, data: z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) };
}

export function mountValidation({ mount }: Router): void {
  for (const { call, data } of FORMS) mount(call, async () => ({ data }));
}
