"""What executors tell the user, in both languages."""

from __future__ import annotations

from ragscore.strings import StringTable

STRINGS = StringTable(
    {
        "worker_died": {
            "en": "a worker on the node {node} died over {task}, which another worker does again",
            "ko": "노드 {node}의 작업자가 {task} 작업 중에 종료되어 다른 작업자가 다시 합니다",
        },
        "node_gone": {
            "en": "the node {node} is left out, since no worker can begin on it: {why}",
            "ko": "노드 {node}에서 작업자를 시작할 수 없어 제외합니다: {why}",
        },
        "no_room": {
            "en": "the cluster has no room for a worker yet, and the run waits for it",
            "ko": "클러스터에 아직 작업자를 둘 자리가 없어 기다립니다",
        },
    }
)
