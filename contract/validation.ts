import { z } from 'zod';
import { type Access, call, dataOf } from './call';

/** JSON Schema 2020-12 of what a form may send. Messages of a refusal are codes such as `message_too_short`. */
const JsonSchema = z.record(z.string(), z.unknown());

/** The rules of one form. */
export function validationCall<const N extends string, const A extends Access>(form: N, access: A) {
  return call({
    name: `get${form.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())}Validation`,
    method: 'GET',
    path: `/api/validation/${form}`,
    summary: `Rules of the ${form} form, as JSON Schema`,
    access,
    response: dataOf(JsonSchema),
    errors: access === 'public' ? [] : ['unauthenticated'],
  });
}

export const getTicketValidation = validationCall('ticket', 'public');
export const getProfileValidation = validationCall('profile', 'user');
export const getAddressValidation = validationCall('billing-address', 'user');
