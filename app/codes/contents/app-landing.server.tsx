import type { LandingProps } from '~/codes/visit/landing-parts.server';

/** For those whom the system of their device does not lead to a store; the stores do not say who came. */
export function AppLanding({ landing, t }: LandingProps<'app'>) {
  return (
    <>
      <p>{t('app.choose')}</p>
      <ul>
        {landing.stores.map(({ store, address }) => (
          <li key={store}>
            <a className="go" href={address} rel="nofollow noreferrer">
              {t(`app.${store}`)}
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}
