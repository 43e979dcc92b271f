import type { Explanations } from './kinds.ts'

/** SRV10x to SRV14x: requests. SRV2xx: answers from snapshots. SRV3xx: refreshes of the running service. */
export const servingExplanations = {
  SRV101: {
    meaning: 'There is no such address.',
    action: 'See /docs for the addresses that exist.',
  },
  SRV102: {
    meaning: 'The address does not take this method.',
    action: 'Use a method that the Allow header lists.',
  },
  SRV103: {
    meaning: 'The request line is too long.',
    action: 'Shorten the query, or raise the setting requestLineBytes.',
  },
  SRV104: {
    meaning: 'The request body is too large for this address.',
    action: 'Send a shorter body, or none if the address needs none.',
  },
  SRV105: {
    meaning: 'The request is not valid HTTP, JSON or UTF-8.',
    action: 'Correct what the message names.',
  },
  SRV106: {
    meaning: 'The request line and headers together are too long.',
    action: 'Send fewer or shorter headers.',
  },
  SRV107: {
    meaning: 'The request did not arrive in time.',
    action: 'Look for a slow or broken connection between the caller and the service.',
  },
  SRV108: {
    meaning: 'The API key is missing, unknown or expired, or its account is locked or inactive.',
    action: 'Send a valid key in the X-API-Key header. `tripfolio account list` shows the state of accounts.',
  },
  SRV109: {
    meaning: 'The Expect header has a value other than 100-continue.',
    action: 'Leave the header out.',
  },
  SRV110: {
    meaning: 'A query parameter is not percent-encoded UTF-8.',
    action: 'Encode the value at the column that the answer names.',
  },
  SRV111: {
    meaning: 'The service cannot listen on this address and port.',
    action: 'Choose another port with --port, or another address with --host.',
  },
  SRV113: {
    meaning: 'Version 1: neither the psk nor the API key is valid.',
    action: 'Send a valid psk header, or a valid key in the X-API-Key header.',
  },
  SRV114: {
    meaning: 'The account sends more requests per second than the rate limit allows.',
    action: 'Wait for the time in Retry-After and send more slowly, or raise rateLimitV1 or rateLimitV2.',
  },
  SRV115: {
    meaning: 'The Accept header has no media type that this address can send.',
    action: 'Accept one that the message lists, or use the parameter $format.',
  },
  SRV117: {
    meaning: 'The account has too many requests at the same time.',
    action: 'Send fewer at once, or raise the settings accountConcurrency and accountQueue.',
  },
  SRV118: {
    meaning: 'The service is busy with requests of other accounts.',
    action: 'Retry after the time in Retry-After. If it persists, give the service more processor cores.',
  },
  SRV119: {
    meaning: 'The service is overloaded and refuses requests until it catches up.',
    action: 'Retry after the time in Retry-After. See the setting loadSheddingDelayMilliseconds.',
  },
  SRV121: {
    meaning: 'Dynamic endpoints: the token is missing or not valid.',
    action: 'Send a valid token in the Authorization header.',
  },
  SRV122: {
    meaning: 'Dynamic endpoints: the token has none of the roles that may call the endpoint.',
    action: 'Ask for a token with such a role, or change allowedRoles of the endpoint.',
  },
  SRV123: {
    meaning: 'Dynamic endpoints: tokens cannot be checked, because the keys cannot be fetched.',
    action: 'Check that the service can reach the server in the setting jwtKeys.',
  },
  SRV124: {
    meaning: 'Dynamic endpoints: the request body is too large.',
    action: 'Send at most as many bytes as the message says.',
  },
  SRV125: {
    meaning: 'Dynamic endpoints: the charset of the request body is not UTF-8.',
    action: 'Send UTF-8.',
  },
  SRV126: {
    meaning: 'Dynamic endpoints: the request body is compressed.',
    action: 'Send it without a content coding.',
  },
  SRV127: {
    meaning: 'Dynamic endpoints: too many large request bodies are being read at the same time.',
    action: 'Retry after the time in Retry-After.',
  },
  SRV128: {
    meaning: 'Dynamic endpoints: the signature of a delivery is missing or wrong.',
    action: 'Check that sender and endpoint use the same secret and the same signature scheme.',
  },
  SRV129: {
    meaning: 'Dynamic endpoints: the delivery has no usable id in the header that deduplication reads.',
    action: 'Configure the sender to send the header that the message names.',
  },
  SRV130: {
    meaning: 'Dynamic endpoints: another call is still processing the same delivery.',
    action: 'Retry after the time in Retry-After.',
  },
  SRV131: {
    meaning: 'This address does not accept the media type of the request body.',
    action: 'Send application/json.',
  },
  SRV132: {
    meaning: 'The IP address of the caller sent too many requests without a valid credential.',
    action: 'Send a valid credential. See the settings failedAuthPerMinute and failedAuthBurst.',
  },
  SRV133: {
    meaning:
      'Dynamic endpoints: signatures cannot be checked, because the secret of the endpoint cannot be used.',
    action: 'Read in the log which secret is missing, inactive or expired, and store it.',
  },
  SRV134: {
    meaning: 'Version 2: a request for records has a body.',
    action: 'Write the parameters in the address; with curl add -G.',
  },
  SRV135: {
    meaning: 'The service does not let accounts register webhooks for themselves.',
    action: 'Ask the operator for a webhook. Operators set `clientWebhooks`.',
  },
  SRV136: {
    meaning: 'The account has no webhook, or the webhook no delivery, with this id.',
    action: 'List the webhooks of the account.',
  },
  SRV137: {
    meaning: 'The body or a parameter of a request about webhooks cannot be understood.',
    action: 'Correct what the message names.',
  },
  SRV138: {
    meaning: 'The header `Last-Event-ID` is not the id of an event.',
    action: 'Send the id of the last event, or leave the header out.',
  },
  SRV139: {
    meaning: 'Too many streams of changes are open.',
    action:
      'Close streams that are not needed; one stream tells of all lists. Operators raise `eventStreams`, `eventStreamsPerClient` or `eventStreamsPerAccount`.',
  },
  SRV140: {
    meaning: 'Too many connections are open.',
    action: 'Close idle connections, or raise the settings connections and connectionsPerAddress.',
  },
  SRV141: {
    meaning:
      'Dynamic endpoints: the delivery has no usable id in the field of the body that deduplication reads.',
    action: 'Send a text or a number at the place that the message names, in a JSON body or a form.',
  },
  SRV142: {
    meaning: 'Dynamic endpoints: the caller, or its address, calls the endpoint more often than it allows.',
    action: 'Retry after the time in Retry-After. Operators change `rateLimit` of the endpoint.',
  },
  SRV143: {
    meaning: 'Dynamic endpoints: the endpoint may not be called from this address.',
    action:
      'Operators add the address to `allowedAddresses` of the endpoint. When the message names a proxy, they set trustedProxies.',
  },
  SRV144: {
    meaning: 'A request of a script came through more runs, each called by the one before, than may be.',
    action:
      'Look for endpoints that call themselves or each other with `HttpRequest`. Operators raise `scriptCallDepth` when the calls end.',
  },
  SRV201: {
    meaning: 'There is no snapshot to answer from yet, or the threads that run scripts are starting.',
    action: 'Wait for the first refresh, or run `tripfolio ingest`. Threads start within seconds.',
  },
  SRV202: {
    meaning: 'The PostgreSQL database of the accounts cannot be reached, so no credential can be checked.',
    action: 'Operators read the reason in the log. The service answers as soon as the database does.',
  },
  SRV241: {
    meaning:
      'The request was stopped, because it used more processor time or read more rows than one request may.',
    action:
      'Restrict it to a range of dates, use fewer conditions, or raise requestCpuMs or requestRowsScanned.',
  },
  SRV251: {
    meaning: 'The service cannot listen for operators on this address and port.',
    action: 'Choose another address or port in operatorListen.',
  },
  SRV301: {
    meaning:
      'A refresh of the running service was refused. The message has the reason, often with an ING code.',
    action: 'Correct the source. The current snapshot keeps serving.',
  },
  SRV302: {
    meaning: 'The setting refresh schedules refreshes, but the setting source is missing.',
    action: 'Name the folder of the extract with --source or TRIPFOLIO_SOURCE.',
  },
  SRV303: {
    meaning: 'A refresh of the running service took longer than the setting refreshTimeLimitSeconds.',
    action: 'Find out what made it slow, or raise the setting. The current snapshot keeps serving.',
  },
  SRV304: {
    meaning: 'The process of a refresh was stopped, or ended without a reason.',
    action: 'Check whether the machine lacked memory. The current snapshot keeps serving.',
  },
} satisfies Explanations
