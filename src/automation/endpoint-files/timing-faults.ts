/** Finds what is wrong with when an endpoint of a file runs, each fault at its place in the YAML. */
import { isScalar } from 'yaml'
import { scheduleFaults } from '../schedules/schedule-faults.ts'
import { type EndpointYaml, placeOf, type TextFault } from './yaml.ts'

export function timingFaults({ definition, document }: EndpointYaml): readonly TextFault[] {
  if (definition === null) return []
  return scheduleFaults(definition).map(({ path, message, column = 1 }) => {
    const members = path.split('/').slice(1)
    const place = placeOf(document, members)
    const node = document.getIn(members, true)
    const quote = isScalar(node) && node.type?.startsWith('QUOTE') ? 1 : 0
    return { code: 'END170', message, at: place === null ? null : place + quote + column - 1 }
  })
}
