"""The page: server and guard, scene, gizmos, widgets, one file a panel."""
