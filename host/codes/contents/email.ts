import { composeMailto, isEmailAddress, suggestMailAddress } from '#contract/contents/mail-addresses';
import { completeLink } from '#contract/web-addresses';
import type { HostedType } from './hosted-type';
import { withUnicode } from './unicode-hosts';

export const email: HostedType = {
  stored: withUnicodeDomain,
  displayed: withUnicodeDomain,
  landing: ({ content, subject, body }) => ({ kind: 'email', address: content, subject, body }),
  follow: ({ content, subject, body }) => composeMailto({ address: content, subject, body }),
  words: {
    gb: 'email mail mailto',
    fr: 'courriel mél mail',
    es: 'correo email',
    de: 'mail email mailadresse',
    it: 'posta email',
  },
  headers: {
    subject: 'subject, email subject, mail subject, objet, sujet, asunto, betreff, oggetto',
    body: 'body, message, email body, mail body, corps, mensaje, cuerpo, nachricht, messaggio, corpo',
  },
  recognises: (cell) => isEmailAddress(withoutScheme(cell)),
  accepts: isEmailAddress,
  isMeant(content) {
    const isMail = isEmailAddress(content) || suggestMailAddress(content) !== null;
    return isMail && completeLink(content) === null;
  },
  cleaned: withoutScheme,
};

/** Browsers send the domain as `xn--`. */
function withUnicodeDomain(address: string): string {
  return address.replace(/[^@]*xn--[^@]*$/i, withUnicode);
}

function withoutScheme(cell: string): string {
  return cell.replace(/^mailto:/i, '');
}
