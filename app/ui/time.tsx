import { LOCALES, type Locale } from '~/i18n/locales';
import { useTimeZone } from '~/i18n/use-time-zone';
import { formatDate } from './format';

interface Props {
  /** ISO 8601. */
  value: string;
  locale: Locale;
}

const WITH_TIME = { month: 'short', hour: '2-digit', minute: '2-digit', timeZoneName: 'short' } as const;

/** A moment in the user's language, with its zone: the server knows which, so that both say the same. */
export function Moment({ value, locale }: Props) {
  const timeZone = useTimeZone();
  return (
    // Browsers carry other editions of the language data than the server; the server's words stay.
    <time dateTime={value} suppressHydrationWarning>
      {formatDate(value, LOCALES[locale].tag, { ...WITH_TIME, timeZone })}
    </time>
  );
}
