/** A `mailto:` address by RFC 6068: spaces as %20, line breaks as %0D%0A, nothing but ASCII. */
export function mailtoOf(mail: { content: string; subject: string; body: string }): string {
  const at = mail.content.lastIndexOf('@');
  const to = `${encoded(mail.content.slice(0, at))}@${encoded(mail.content.slice(at + 1))}`;
  const fields = [
    ...(mail.subject === '' ? [] : [`subject=${encoded(mail.subject)}`]),
    ...(mail.body === '' ? [] : [`body=${encoded(mail.body)}`]),
  ];
  return `mailto:${to}${fields.length > 0 ? '?' : ''}${fields.join('&')}`;
}

function encoded(text: string): string {
  return encodeURIComponent(text.replace(/\p{Cs}/gu, '\uFFFD').replace(/\r\n?|\n/g, '\r\n'));
}
