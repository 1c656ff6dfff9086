return "agent"
