import { type Call, PUBLIC_API } from '#contract/call';

const SCOPES = {
  read: 'Read codes, figures and everything else of the account.',
  change: 'The same, and make, change and delete.',
};

/** How programs prove who they are: by a key, or by an access token. */
export function securitySchemes(publicUrl: string) {
  return {
    key: {
      type: 'http',
      scheme: 'bearer',
      description: 'A key from Settings > API keys: `Authorization: Bearer qdr_…`',
    },
    oauth: {
      type: 'oauth2',
      description: `OAuth 2.1 with PKCE (S256), for the resource ${publicUrl}${PUBLIC_API}. Tokens are opaque, not JSON Web Tokens, so RFC8725 does not apply. Guide: /developers#oauth`,
      flows: {
        authorizationCode: {
          authorizationUrl: `${publicUrl}/oauth/authorize`,
          tokenUrl: `${publicUrl}/oauth/token`,
          refreshUrl: `${publicUrl}/oauth/token`,
          scopes: SCOPES,
        },
      },
    },
  };
}

/** What a key or a token has to allow for a call. */
export function securityOf({ key = 'read' }: Call) {
  return [{ key: [] }, { oauth: [key] }];
}

/** The same in words. */
export function permissionText({ key = 'read', wholeAccount }: Call): string {
  const limited = wholeAccount ? ' Not for keys that are limited to a tag.' : '';
  return `Needs the permission \`${key}\`.${limited}`;
}
