/**
 * What the explorer and the console may load: files of this service, and nothing inline. The only other origins are those of the
 * identity provider, which the browser asks for tokens (OAuth 2.0 for browser-based applications).
 */
export function contentSecurityPolicy(signInOrigins: readonly string[] = []): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' blob:",
    "font-src 'self'",
    `connect-src ${["'self'", ...signInOrigins].join(' ')}`,
    "worker-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types tripfolio',
  ].join('; ')
}
