import { LOCALES, type Locale } from '#contract/locales';
import { useTimeZone } from '~/i18n/use-locale';
import { formatDateTime } from './format';

interface Props {
  /** ISO 8601. */
  value: string;
  locale: Locale;
}

/** A date and time in the user's language and time zone, which the server knows too. */
export function DateTime({ value, locale }: Props) {
  const timeZone = useTimeZone();
  return (
    // Browsers have other versions of the locale data than the server; the server's text stays.
    <time dateTime={value} suppressHydrationWarning>
      {formatDateTime(value, LOCALES[locale].tag, { month: 'short', timeZone })}
    </time>
  );
}
