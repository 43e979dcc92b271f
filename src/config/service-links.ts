/**
 * Recognises variables that begin like ours but come from Kubernetes. It describes each service of a namespace in the
 * environment of its containers; for a service named `tripfolio` or `tripfolio-web` that is TRIPFOLIO_PORT=tcp://10.0.0.1:8080
 * and more. Name and value must both have the form, so that a mistyped setting is still refused.
 */

export const isServiceLink = (variable: string, value = ''): boolean =>
  serviceLinks.some(([name, form]) => name.test(variable) && form.test(value))

const ADDRESS = /^[\da-fA-F.:]+$/
const PORT = /^\d{1,5}$/
const PROTOCOL = /^(?:tcp|udp|sctp)$/
const PORT_URL = /^(?:tcp|udp|sctp):\/\/(?:[\d.]+|\[[\da-fA-F:.]+\]):\d{1,5}$/

const serviceLinks: readonly (readonly [name: RegExp, value: RegExp])[] = [
  [/_SERVICE_HOST$/, ADDRESS],
  [/_SERVICE_PORT(?:_[A-Z0-9_]+)?$/, PORT],
  [/_PORT$/, PORT_URL],
  [/_PORT_\d+_(?:TCP|UDP|SCTP)$/, PORT_URL],
  [/_PORT_\d+_(?:TCP|UDP|SCTP)_PROTO$/, PROTOCOL],
  [/_PORT_\d+_(?:TCP|UDP|SCTP)_PORT$/, PORT],
  [/_PORT_\d+_(?:TCP|UDP|SCTP)_ADDR$/, ADDRESS],
]
