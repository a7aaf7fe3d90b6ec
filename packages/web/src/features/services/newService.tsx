import { Link } from '@tanstack/react-router';
import type { NewRow } from '../../data/newRow.ts';
import { type Service, serviceKinds, typeOfService } from './services.ts';

/** Where a new service is listed. */
export function newService(service: Service): NewRow {
  const { id, nodeId, name } = service;
  const type = typeOfService(service);
  return {
    name,
    // All services stand in one list by `keyOfService`, which would bring that list's code along.
    lists: { [serviceKinds[type].title]: id, Services: type + id },
    link: <Link to="/nodes/$nodeId/$type/$id" params={{ nodeId: String(nodeId), type, id: String(id) }} />,
  };
}
