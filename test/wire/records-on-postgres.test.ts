/** The tests of the wire that are about records, with the records in PostgreSQL: callers see no difference. */
import { useEngine } from './start-service.ts'

useEngine('postgres')

await import('./changes.test.ts')
await import('./changes-since-a-moment.test.ts')
await import('./apply.test.ts')
await import('./formats.test.ts')
await import('./version-1.test.ts')
await import('./version-2.test.ts')
await import('./filter-slips.test.ts')
await import('./hostile-clients.test.ts')
await import('./query-slips.test.ts')
await import('./snapshot-pinning.test.ts')
