import { completePhoneNumber, composeSms, composeTel } from '#contract/contents/phone-numbers';
import type { HostedType } from './hosted-type';

export const phone: HostedType = {
  landing: ({ content }) => ({ kind: 'phone', number: content }),
  follow: ({ content }, act) => (act === 'sms' ? composeSms(content) : composeTel(content)),
  words: {
    gb: 'phone telephone tel mobile call number',
    fr: 'téléphone tel portable mobile appel numéro',
    es: 'teléfono tel móvil llamada número',
    de: 'telefon telefonnummer tel handy handynummer rufnummer anruf nummer',
    it: 'telefono tel cellulare chiamata numero',
  },
  headers: {
    content: `phone, phone number, telephone, telephone number, tel, mobile, mobile number, téléphone, numéro de téléphone,
      portable, teléfono, número de teléfono, móvil, telefon, telefonnummer, rufnummer, handynummer, telefono,
      numero di telefono, cellulare`,
  },
  recognises: isMarked,
  accepts: (cell) => completePhoneNumber(cell) !== null,
  isMeant: isMarked,
};

/** Digits alone may be anything: only these say that they are a phone number. */
function isMarked(cell: string): boolean {
  return /^(?:tel:|\+)/i.test(cell) && completePhoneNumber(cell) !== null;
}
