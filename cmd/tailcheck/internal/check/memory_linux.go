package check

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// totalMemory is what this process may use of the machine's memory, in bytes;
// 0: not known. A control group's limit counts where it is lower.
func totalMemory() int64 {
	var info syscall.Sysinfo_t
	var total int64
	if err := syscall.Sysinfo(&info); err == nil {
		total = int64(info.Totalram) * int64(info.Unit)
	}
	for _, file := range []string{"memory.max", "memory/memory.limit_in_bytes"} {
		text, err := os.ReadFile(fmt.Sprintf("/sys/fs/cgroup/%s", file))
		if err != nil {
			continue
		}
		if limit, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && limit > 0 && (total == 0 || limit < total) {
			total = limit
		}
	}
	return total
}
