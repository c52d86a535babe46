import { LOCALES, type Locale } from '~/i18n/locales';
import { useTimeZone } from '~/i18n/use-locale';
import { formatDateTime } from './format';

interface Props {
  /** ISO 8601. */
  value: string;
  locale: Locale;
}

/** A date and time in the user's language, with its zone: the server knows which, so that both say the same. */
export function DateTime({ value, locale }: Props) {
  const timeZone = useTimeZone();
  return (
    // Browsers carry other editions of the language data than the server; the server's words stay.
    <time dateTime={value} suppressHydrationWarning>
      {formatDateTime(value, LOCALES[locale].tag, { month: 'short', timeZone })}
    </time>
  );
}
