/**
 * The members of `Data` that requests bring and responses are made of, with what they hold: for the reference of the host
 * functions and for editors. Code stands between backquotes.
 */
export const dataMembers: readonly (readonly [path: string, about: string])[] = [
  ['request.method', 'in capitals'],
  ['request.path', 'the path of the request, decoded'],
  ['request.queryString', 'the query as it was sent, with its `?`; empty without a query'],
  ['request.query', 'one text per name; an array of texts for a repeated name'],
  ['request.headers', 'one text per name, read as UTF-8; names are in lower case'],
  ['request.params', 'the parameters of the path, one text per name'],
  ['request.address', 'the IP address of the caller; only for a call'],
  ['request.body', 'the value of a JSON body or a form; null for other content and without a body'],
  [
    'request.rawBody',
    'the text of the body as it was sent, byte order mark included, which signatures are made of; null without a body',
  ],
  [
    'request.user',
    '`isAuthenticated`, `name`, `principalId`, `roles`; for a run by schedule, `principalId` is `schedule:NAME`',
  ],
  ['request.schedule', 'only for a run by schedule: `name`, and `dueAt`, when it was due, in UTC'],
  ['_payload', 'the body of the response, sent as JSON; `null` by default'],
  ['_statusCode', 'a whole number from 200 to 599; 200 by default. 204, 205 and 304 have no body'],
  [
    '_binary',
    'bytes as base64, sent instead of the payload. The content type is `application/octet-stream`, or `_contentType`',
  ],
  [
    '_redirect',
    'a path that begins with one `/`, or an address of `http:` or `https:`. The status is 302, or `_statusCode` if that is 3xx; the payload is not sent',
  ],
  [
    '_contentType',
    'a media type. With any other than `application/json`, a text as payload is sent as it is, in UTF-8',
  ],
  [
    '_headers',
    'one text per name. Refused are headers of the connection, headers that the service sets, cookies, and headers that browsers enforce for security (such as `access-control-…`)',
  ],
]
