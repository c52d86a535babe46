import { useTranslation } from 'react-i18next';

interface Props {
  status: number;
  /** For a 503: what was posted, so that it can be sent again. */
  details: unknown;
}

export function ErrorPage({ status }: Props) {
  const { t } = useTranslation();
  return <h1>{t(status === 404 ? 'errors.404.title' : 'errors.500.title')}</h1>;
}
